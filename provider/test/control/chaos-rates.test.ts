import { expect, test } from 'vitest';
import { calm } from '../../webhooks/chaos/chaos-rates.ts';
import { openControlWorld } from './control-world.ts';

test('reads, sets and resets the chaos rates', async () => {
  const { ask, see } = await openControlWorld();
  const none = { rates: calm, seed: 7 };

  expect((await see('/chaos')).data).toEqual(none);
  const set = await ask('PUT', '/control/chaos', { duplicates: 0.1, losses: 1 });
  expect(set.data).toEqual({ rates: { ...calm, duplicates: 0.1, losses: 1 }, seed: 7 });
  expect((await see('/chaos')).data).toEqual(set.data);
  expect((await ask('PUT', '/control/chaos', { delay: 0.5 })).data).toMatchObject({
    rates: { delay: 0.5, duplicates: 0 },
  });
  expect((await ask('DELETE', '/control/chaos')).data).toEqual(none);
});

test.each([
  [{ duplicates: 2 }, 'duplicates: expected a number from 0 to 1'],
  [{ duplicates: '0.1' }, 'duplicates: expected a number from 0 to 1'],
  [{ rain: 0.1 }, 'unknown parameter: rain; this endpoint has duplicates, resign'],
])('rejects %o: %s', async (body, message) => {
  const { ask, see } = await openControlWorld();

  const answer = await ask('PUT', '/control/chaos', body);

  expect(answer.status).toBe(400);
  expect(answer.body['message']).toContain(message);
  expect((await see('/chaos')).data).toMatchObject({ rates: calm });
});
