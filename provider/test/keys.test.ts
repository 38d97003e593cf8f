import { expect, test } from 'vitest';
import { allRoutes } from '../http/all-routes.ts';
import { openTestProvider } from './kit/test-provider.ts';

test('accepts the second key header for appeals only', async () => {
  const { app, ours } = await openTestProvider();

  for (const { method, path, part } of allRoutes.map(({ endpoint }) => endpoint)) {
    const response = await app.request(path.replace('{id}', '1'), {
      method: method.toUpperCase(),
      headers: { 'api-x-token': ours.key },
    });
    expect(response.status === 401, `${method} ${path}`).toBe(part !== 'Appeals');
  }
});

test('stores keys as hashes', async () => {
  const { ours, provider } = await openTestProvider();

  const rows = await provider.query.selectFrom('api_keys').selectAll().execute();

  expect(rows).toHaveLength(2);
  expect(rows.map(({ hash }) => Buffer.from(hash).toString())).not.toContain(ours.key);
  expect(rows.every(({ hash }) => hash.length === 32)).toBe(true);
});
