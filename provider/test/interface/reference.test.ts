import { expect, test } from 'vitest';
import { bodyExamples, partDescriptions } from '../../reference/open-api-document.ts';
import { allRoutes } from '../../http/all-routes.ts';
import { openTestProvider } from '../kit/test-provider.ts';

const endpoints = allRoutes.map(({ endpoint }) => endpoint);

async function request(path: string, headers: Record<string, string> = {}) {
  const { app } = await openTestProvider();
  const response = await app.request(path, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test.each(['/docs', '/docs/'])('serves %s without a key', async (path) => {
  const { status, headers, text } = await request(path);

  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
  expect(text).toContain('<title>Fleet and Driver Compliance Service');
  expect(text).toContain('data-source="/openapi.json"');
});

test('serves every resource of the page from the same origin', async () => {
  const { text } = await request('/docs');
  const named = [...text.matchAll(/(?:src|href)="([^"]+)"/gu)].map(([, address = '']) => address);

  expect(named).toEqual(
    expect.arrayContaining(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/page.js']),
  );
  for (const address of named.filter((one) => one !== 'data:,')) {
    expect(address).toMatch(/^\/(docs\/|openapi)/);
    expect((await request(address)).status, address).toBe(200);
  }
});

test.each([
  ['/docs/page.js', 'text/javascript; charset=utf-8', 'dataset.source'],
  ['/docs/page.css', 'text/css; charset=utf-8', 'body'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle'],
  ['/docs/swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
])('serves %s as %s', async (path, type, part) => {
  const { status, headers, text } = await request(path);

  expect([status, headers.get('content-type')]).toEqual([200, type]);
  expect(text).toContain(part);
});

test.each(['/docs', '/docs/swagger-ui-bundle.js'])(
  '%s may load and call this provider only',
  async (path) => {
    const policy = (await request(path)).headers.get('content-security-policy')?.split('; ') ?? [];

    expect(policy).toContain("default-src 'none'");
    expect(policy.filter((rule) => /https?:|\*|unsafe/u.test(rule))).toEqual([]);
  },
);

test('responds 304 to a matching ETag', async () => {
  const tag = (await request('/docs/swagger-ui.css')).headers.get('etag') ?? '';

  const again = await request('/docs/swagger-ui.css', { 'if-none-match': tag });

  expect([again.status, again.text]).toEqual([304, '']);
});

test.each(['/docs/index.html', '/docs/package.json', '/docs/..%2fpackage.json', '/docs/swagger-ui.js'])(
  'responds 404 to %s',
  async (path) => {
    expect((await request(path)).status).toBe(404);
  },
);

test('has a valid example for every body, and no other', () => {
  const taking = endpoints.filter(({ body }) => body !== null);

  expect(Object.keys(bodyExamples).sort()).toEqual(taking.map(({ operationId }) => operationId).sort());
  for (const { operationId, body } of taking)
    expect(body?.safeParse(bodyExamples[operationId]).error, operationId).toBeUndefined();
});

test('describes every part and the keys in the document', async () => {
  const { tags, components } = JSON.parse((await request('/openapi.json')).text) as {
    tags: { name: string; description: string }[];
    components: { securitySchemes: Record<string, { description: string }> };
  };

  expect(tags.map(({ name }) => name)).toEqual(Object.keys(partDescriptions));
  expect([...new Set(endpoints.map(({ part }) => part))].sort()).toEqual(tags.map(({ name }) => name).sort());
  expect(Object.keys(components.securitySchemes)).toEqual(['x-api-key', 'api-x-token']);
});

test('gives tax ids and instants valid examples, and records no extra fields', async () => {
  const { text } = await request('/openapi.json');
  const found: Record<string, unknown>[] = [];
  JSON.parse(text, (_, value: unknown) => {
    if (typeof value === 'object' && value !== null) found.push(value as Record<string, unknown>);
    return value;
  });

  const texts = found.filter(({ pattern, example }) => pattern !== undefined && example !== undefined);
  expect([...new Set(texts.map(({ example }) => example))].sort()).toEqual([
    '11222333000181',
    '2026-03-09T14:05:00.000Z',
    '52998224725',
  ]);
  for (const { pattern, example } of texts) expect(example).toMatch(new RegExp(String(pattern), 'u'));
  expect(found.filter(({ additionalProperties }) => JSON.stringify(additionalProperties) === '{}')).toEqual(
    [],
  );
});
