import { beforeEach, expect, it } from 'vitest';
import { setImmediate as nextTick } from 'node:timers/promises';
import { slip } from '../../../test/support/machine-fixture.ts';
import type { StoredEvent } from '../../event/stored-event.ts';
import { memoryMachineStates, type MemoryMachineStates } from '../../testing/memory-machine-states.ts';
import { openHistory } from './subject-history.ts';

let states: MemoryMachineStates;

beforeEach(() => {
  states = memoryMachineStates();
});

/** Reads all indexes in order, and returns the numbers of their events; undefined where there is none. */
async function read(
  numbers: readonly number[],
  event?: StoredEvent,
): Promise<readonly (number | undefined)[]> {
  const history = openHistory(Float64Array.from(numbers), states, event);
  const found: (number | undefined)[] = [];
  for (const index of numbers.keys()) {
    const next = await history.at(index);
    found.push(next && Number(next.id.slice('abc123-'.length)));
  }
  return found;
}

const downFrom = (first: number): number[] => Array.from({ length: first }, (_, index) => first - index);

it('returns events in the given order over many pages', async () => {
  for (let number = 1; number <= 1_250; number += 1) states.log(slip(number, number, 'pending'));

  expect(await read(downFrom(1_250))).toEqual(downFrom(1_250));
});

it('returns undefined for a pruned event', async () => {
  states.log(slip(1, 1, 'pending'));
  states.log(slip(4, 4, 'issued'));

  expect(await read([1, 3, 4])).toEqual([1, undefined, 4]);
});

it('returns the event in memory without reading it', async () => {
  const event = slip(2, 20, 'requested');
  states.log(slip(1, 10, 'pending'));
  states.log(slip(3, 30, 'issued'));
  expect(await read([1, 2, 3], event)).toEqual([1, 2, 3]);

  states = { ...states, storedEvents: () => Promise.reject(new Error('read')) };
  expect(await read([2], event)).toEqual([2]);
});

it('yields to the event loop during a long read', async () => {
  for (let number = 1; number <= 5_000; number += 1) states.log(slip(number, number, 'pending'));
  let ticks = 0;
  const done = new AbortController();
  const others = (async () => {
    for (; !done.signal.aborted; ticks += 1) await nextTick();
  })();

  await read(downFrom(5_000));
  done.abort();
  await others;

  expect(ticks).toBeGreaterThan(5);
});
