import { beforeEach, expect, it } from 'vitest';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { slip, trail } from '../../test/support/machine-desk.ts';
import type { StoredEvent } from '../event/stored-event.ts';
import { memoryMachineStates, type MemoryMachineStates } from '../testing/memory-machine-states.ts';
import { testEvent } from '../testing/test-event.ts';
import { subjectHistory, type HistoryRequest } from './subject-history.ts';

const place = { source: 'default', subject: slip(1, 1, 'pending').subject };
let states: MemoryMachineStates;

beforeEach(() => {
  states = memoryMachineStates();
});

/** The numbers of the events, in the order they come. */
async function numbers(request: Partial<HistoryRequest> = {}): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const { id } of subjectHistory(trail, { ...place, ...request }, states))
    found.push(Number(id.slice('abc123-'.length)));
  return found;
}

const downTo = (first: number, last: number): number[] =>
  Array.from({ length: first - last + 1 }, (_, index) => first - index);

it('comes in version order, however many there are', async () => {
  for (let number = 1; number <= 1_250; number += 1) states.log(slip(number, 2_000 - number, 'pending'));

  expect(await numbers()).toEqual(downTo(1_250, 1));
  expect(await numbers({ through: 'abc123-620' })).toEqual(downTo(620, 1));
});

it('leaves out what the machine does not take, and what is purged meanwhile', async () => {
  states.log(slip(1, 1, 'pending'));
  states.log({ ...testEvent('charge.updated', { id: 'abc123-2' }), ...place } as StoredEvent);
  states.log(slip(3, 3, 'issued'));
  states.log(slip(4, 4, 'issued'));
  const { storedEvents } = states;
  states = {
    ...states,
    storedEvents: async (ids) => (await storedEvents(ids)).filter(({ id }) => id !== 'abc123-3'),
  };

  expect(await numbers()).toEqual([1, 4]);
});

it('has the event in its place also when the log has not, and reads nothing for it alone', async () => {
  states.log(slip(1, 10, 'pending'));
  states.log(slip(3, 30, 'issued'));

  expect(await numbers({ event: slip(2, 20, 'requested') })).toEqual([1, 2, 3]);

  const unread = () => Promise.reject(new Error('read'));
  states = { ...states, subjectLog: () => Promise.resolve([]), storedEvents: unread };
  expect(await numbers({ event: slip(2, 20, 'requested') })).toEqual([2]);
});

it('lets others have their turns in between', async () => {
  for (let number = 1; number <= 5_000; number += 1) states.log(slip(number, number, 'pending'));
  let turns = 0;
  const over = new AbortController();
  const others = (async () => {
    for (; !over.signal.aborted; turns += 1) await turnOfTheLoop();
  })();

  await numbers();
  over.abort();
  await others;

  expect(turns).toBeGreaterThan(5);
});
