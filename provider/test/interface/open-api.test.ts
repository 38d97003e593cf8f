import { validate } from '@readme/openapi-parser';
import { expect, test } from 'vitest';
import { openTestProvider } from '../kit/test-provider.ts';
import { specifiedEndpoints } from '../kit/specified-endpoints.ts';

type Document = Parameters<typeof validate>[0];

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

async function document(): Promise<unknown> {
  const { app } = await openTestProvider();
  const response = await app.request('/openapi.json');
  expect(response.status).toBe(200);
  return response.json();
}

async function operations() {
  return ((await document()) as { readonly paths: Record<string, Record<string, Operation>> }).paths;
}

test('serves a valid OpenAPI document without a key', async () => {
  const result = await validate((await document()) as Document);

  expect(result).toMatchObject({ valid: true });
});

test('describes the operations of the specification with their statuses, filters and bodies', async () => {
  const paths = await operations();

  for (const { method, path, success, failures, filters, query, body } of specifiedEndpoints) {
    const operation = paths[path]?.[method];
    const statuses = [success, ...new Set([400, 401, ...failures])].map(String).sort();
    expect(Object.keys(operation?.responses ?? {}).sort(), `${method} ${path}`).toEqual(statuses);
    const queries = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query');
    expect(queries.map(({ name }) => name)).toEqual([
      ...(filters === null ? [] : parametersOf(filters)),
      ...query.split(' ').filter((name) => name !== ''),
    ]);
    expect(operation?.requestBody !== undefined).toBe(body !== null);
  }
  expect(Object.values(paths).flatMap((path) => Object.keys(path))).toHaveLength(specifiedEndpoints.length);
});

test('describes the stream as server-sent events', async () => {
  const paths = await operations();

  const { responses } = paths['/v1/companies/{id}/sync/stream']?.['get'] ?? {};
  expect(Object.keys(responses?.['200']?.content ?? {})).toEqual(['text/event-stream']);
});

function parametersOf(filters: Readonly<Record<string, string>>): string[] {
  const own = Object.entries(filters).flatMap(([field, operators]) =>
    operators
      .split(' ')
      .map((operator) => `filters${[...field.split('.'), operator].map((part) => `[${part}]`).join('')}`),
  );
  return ['pagination[page]', 'pagination[size]', ...own];
}
