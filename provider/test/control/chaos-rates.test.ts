import { expect, test } from 'vitest';
import { calm } from '../../webhooks/chaos/chaos-rates.ts';
import { openWithControls } from './control-setup.ts';

test('reads, sets and resets the chaos rates', async () => {
  const { request, getControl } = await openWithControls();
  const none = { rates: calm, seed: 7 };

  expect((await getControl('/chaos')).data).toEqual(none);
  const set = await request('PUT', '/control/chaos', { duplicates: 0.1, losses: 1 });
  expect(set.data).toEqual({ rates: { ...calm, duplicates: 0.1, losses: 1 }, seed: 7 });
  expect((await getControl('/chaos')).data).toEqual(set.data);
  expect((await request('PUT', '/control/chaos', { delay: 0.5 })).data).toMatchObject({
    rates: { delay: 0.5, duplicates: 0 },
  });
  expect((await request('DELETE', '/control/chaos')).data).toEqual(none);
});

test.each([
  [{ duplicates: 2 }, 'duplicates: expected a number from 0 to 1'],
  [{ duplicates: '0.1' }, 'duplicates: expected a number from 0 to 1'],
  [{ rain: 0.1 }, 'unknown parameter: rain; this endpoint has duplicates, resign'],
])('rejects %o: %s', async (body, message) => {
  const { request, getControl } = await openWithControls();

  const response = await request('PUT', '/control/chaos', body);

  expect(response.status).toBe(400);
  expect(response.body['message']).toContain(message);
  expect((await getControl('/chaos')).data).toMatchObject({ rates: calm });
});

test('an outage of the API has 503 and Retry-After until it is over, and the controls stay', async () => {
  const { request, app } = await openWithControls();
  const status = async () => (await request('GET', '/v1/companies')).status;
  expect(await status()).toBe(401);

  await request('PUT', '/control/chaos', { away: 1 });
  const response = await app.request('/v1/companies');
  expect([response.status, await response.json()]).toEqual([
    503,
    { error: 'Service Unavailable', message: 'away by chaos' },
  ]);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);

  await request('DELETE', '/control/chaos');
  expect(await status()).toBe(401);
});
