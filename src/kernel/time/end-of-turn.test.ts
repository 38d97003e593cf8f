import { expect, test } from 'vitest';
import { endOfTurn } from './end-of-turn.ts';

test('all who ask in a turn go on together, in the order they asked', async () => {
  const log: string[] = [];
  const ask = async (name: string) => {
    await endOfTurn();
    log.push(name);
  };

  const first = ask('first');
  await Promise.resolve();
  log.push('still the same turn');
  await Promise.all([first, ask('second')]);

  expect(log).toEqual(['still the same turn', 'first', 'second']);
});

test('who asks in a later turn waits for the end of that one', async () => {
  const earlier = endOfTurn();
  await earlier;

  const later = endOfTurn();

  expect(later).not.toBe(earlier);
  await later;
});
