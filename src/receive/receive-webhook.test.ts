import { expect, test } from 'vitest';
import { createEndOfTick } from './receive-webhook.ts';

test('all callers in one tick continue together, in the order of their calls', async () => {
  const endOfTick = createEndOfTick();
  const log: string[] = [];
  const call = async (name: string) => {
    await endOfTick();
    log.push(name);
  };

  const first = call('first');
  await Promise.resolve();
  log.push('same tick');
  await Promise.all([first, call('second')]);

  expect(log).toEqual(['same tick', 'first', 'second']);
});

test('a caller in a later tick waits for the end of that tick', async () => {
  const endOfTick = createEndOfTick();
  const earlier = endOfTick();
  await earlier;

  const later = endOfTick();

  expect(later).not.toBe(earlier);
  await later;
});
