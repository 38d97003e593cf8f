import { expect, test } from 'vitest';
import { defineHandler } from '../handle/define/handler.ts';
import { createRegistry } from '../handle/load/registry.ts';
import type { HandlerProcess } from '../store/processes.ts';
import { PortariaError } from '../kernel/errors.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createProcessRecord } from './register-process.ts';

function setUp() {
  const clock = manualClock();
  const calls: string[] = [];
  const warnings: unknown[] = [];
  const disk = { isFull: false, reason: 'the disk is full' };
  const call = async (name: string) => {
    calls.push(name);
    if (disk.isFull) throw new PortariaError('store-full', disk.reason);
  };
  let registered: HandlerProcess | undefined;
  const record = createProcessRecord({
    store: {
      registerProcess: (process) => {
        registered = process;
        return call(`register at ${String(clock.now() - clock0)}`);
      },
      unregisterProcess: (id) => call(`unregister ${id === registered?.id ? 'the same' : 'another'}`),
    },
    registry: createRegistry([defineHandler({ name: 'mail', on: '*', handle: () => undefined })]),
    clock,
    random: () => 0.5,
    log: { warn: (fields) => void warnings.push(fields) },
    about: { host: 'fleet-1', pid: 4711, version: '1.0.0' },
  });
  const clock0 = clock.now();
  return { clock, calls, disk, warnings, record, registered: () => registered };
}

test('a process is recorded with its handlers once, and removed', async () => {
  const { clock, calls, record, registered } = setUp();
  await record.write();
  expect(registered()).toMatchObject({ pid: 4711, startedAt: clock.now(), handlers: [{ name: 'mail' }] });
  expect(clock.untilNext, 'an idle process writes nothing').toBeNull();

  await record.remove();
  expect(calls).toEqual(['register at 0', 'unregister the same']);
});

test('a full disk stops neither the start nor the end, and the record is written 30 s later', async () => {
  const { clock, calls, disk, record } = setUp();
  disk.isFull = true;
  await record.write();
  disk.isFull = false;
  clock.advance(30_000);
  disk.isFull = true;
  await record.remove();
  expect(calls).toEqual(['register at 0', 'register at 30000', 'unregister the same']);
});

test('a write that fails is repeated until it succeeds', async () => {
  const { clock, calls, disk, record } = setUp();
  disk.isFull = true;
  await record.write();
  for (let times = 0; times < 2; times += 1) {
    clock.advance(30_000);
    await record.write();
  }
  disk.isFull = false;
  clock.advance(30_000);
  await record.write();
  expect(clock.untilNext).toBeNull();
  expect(calls).toEqual([0, 30_000, 60_000, 90_000].map((at) => `register at ${String(at)}`));
});

test('each reason why a process is not recorded is logged once', async () => {
  const { clock, disk, warnings, record } = setUp();
  disk.isFull = true;
  await record.write();
  clock.advance(30_000);
  await record.write();
  disk.reason = 'the database is read-only';
  clock.advance(30_000);
  await record.write();
  expect(warnings).toEqual([
    { reason: expect.stringContaining('the disk is full') as string },
    { reason: expect.stringContaining('the database is read-only') as string },
  ]);
});

test('a process that ends before the second write is not recorded', async () => {
  const { clock, calls, disk, record } = setUp();
  disk.isFull = true;
  await record.write();
  await record.remove();
  expect(clock.untilNext).toBeNull();
  expect(calls).toEqual(['register at 0', 'unregister the same']);
});

test('a process that never ran handlers leaves the store alone', async () => {
  const { calls, record } = setUp();
  await record.remove();
  await record.write();
  expect(calls).toEqual([]);
});
