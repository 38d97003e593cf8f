import { expect, test } from 'vitest';
import { endOfTick } from './end-of-tick.ts';

test('all callers of one tick resume together, in the order of their calls', async () => {
  const log: string[] = [];
  const wait = async (name: string) => {
    await endOfTick();
    log.push(name);
  };

  const first = wait('first');
  await Promise.resolve();
  log.push('still the same tick');
  await Promise.all([first, wait('second')]);

  expect(log).toEqual(['still the same tick', 'first', 'second']);
});

test('a caller of a later tick waits for the end of that tick', async () => {
  const earlier = endOfTick();
  await earlier;

  const later = endOfTick();

  expect(later).not.toBe(earlier);
  await later;
});
