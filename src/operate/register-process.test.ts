import { expect, test } from 'vitest';
import { defineHandler } from '../handle/define/handler.ts';
import { createRegistry } from '../handle/load/registry.ts';
import { REGISTER_EVERY_MS, type HandlerProcess } from '../store/processes.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createProcessRecord } from './register-process.ts';

function setUp() {
  const clock = manualClock();
  const calls: string[] = [];
  const disk = { isFull: false };
  const call = async (name: string) => {
    calls.push(name);
    if (disk.isFull) throw new Error('the disk is full');
  };
  let registered: HandlerProcess | undefined;
  const record = createProcessRecord({
    store: {
      registerProcess: (process, now) => {
        registered = process;
        return call(`register at ${String(now - clock0)}`);
      },
      unregisterProcess: (id) => call(`unregister ${id === registered?.id ? 'the same' : 'another'}`),
    },
    registry: createRegistry([defineHandler({ name: 'mail', on: '*', handle: () => undefined })]),
    clock,
    random: () => 0.5,
    about: { host: 'fleet-1', pid: 4711, version: '0.1.0' },
  });
  const clock0 = clock.now();
  return { clock, calls, disk, record, registered: () => registered };
}

test('a process is recorded with its handlers, renewed, and removed', async () => {
  const { clock, calls, record, registered } = setUp();
  await record.keep();
  expect(registered()).toMatchObject({ pid: 4711, startedAt: clock.now(), handlers: [{ name: 'mail' }] });

  clock.advance(2 * REGISTER_EVERY_MS);
  await record.remove();
  expect(calls).toEqual(['register at 0', 'register at 30000', 'register at 60000', 'unregister the same']);
  expect(clock.untilNext).toBeNull();
});

test('a full disk stops neither the start nor the end, and a later renewal records the process', async () => {
  const { clock, calls, disk, record } = setUp();
  disk.isFull = true;
  await record.keep();
  disk.isFull = false;
  clock.advance(REGISTER_EVERY_MS);
  disk.isFull = true;
  await record.remove();
  expect(calls).toEqual(['register at 0', 'register at 30000', 'unregister the same']);
});

test('a process that never ran handlers leaves the store alone', async () => {
  const { clock, calls, record } = setUp();
  await record.remove();
  await record.keep();
  expect(calls).toEqual([]);
  expect(clock.untilNext).toBeNull();
});
