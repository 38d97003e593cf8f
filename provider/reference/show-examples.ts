/** Example for strings with a pattern. Swagger UI would generate a random string that matches. */
const instant = '2026-03-09T14:05:00.000Z';
const taxIds: Readonly<Record<string, string>> = { cnpj: '11222333000181', cpf: '52998224725' };

/**
 * Adds examples to the schemas of a document, in place. Also removes empty
 * `additionalProperties`, which Swagger UI shows as three extra fields.
 */
export function showExamples(node: unknown): void {
  if (!isObject(node)) return;
  const { additionalProperties: others, pattern, 'x-check-digits': digits } = node;
  if (isObject(others) && Object.keys(others).length === 0) delete node['additionalProperties'];
  const example = typeof digits === 'string' ? taxIds[digits] : exampleFor(pattern);
  if (example !== undefined) node['example'] = example;
  for (const part of Object.values(node)) showExamples(part);
}

function exampleFor(pattern: unknown): string | undefined {
  return typeof pattern === 'string' && new RegExp(pattern, 'u').test(instant) ? instant : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
