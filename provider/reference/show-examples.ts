/** What a page shows for texts of a pattern, instead of drawing some that fits it and looks like nothing. */
const instant = '2026-03-09T14:05:00.000Z';
const taxIds: Readonly<Record<string, string>> = { cnpj: '11222333000181', cpf: '52998224725' };

/**
 * Gives the schemas of a document their examples, in place, and takes from objects
 * that they may have other fields, which says nothing and is shown as three more.
 */
export function showExamples(node: unknown): void {
  if (!isObject(node)) return;
  const { additionalProperties: others, pattern, 'x-check-digits': digits } = node;
  if (isObject(others) && Object.keys(others).length === 0) delete node['additionalProperties'];
  const example = typeof digits === 'string' ? taxIds[digits] : fitting(pattern);
  if (example !== undefined) node['example'] = example;
  for (const part of Object.values(node)) showExamples(part);
}

function fitting(pattern: unknown): string | undefined {
  return typeof pattern === 'string' && new RegExp(pattern, 'u').test(instant) ? instant : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
