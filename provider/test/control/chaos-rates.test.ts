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
