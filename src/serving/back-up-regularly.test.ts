import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFindLateBackup } from '../attention/late-backup.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kernel/time/durations.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { backUpRegularly } from './back-up-regularly.ts';

const clock = manualClock();
let folder: string;
let stop: () => Promise<void> = () => Promise.resolve();
let failing: boolean;
let emitted: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portaria-backups-'));
  [failing, emitted] = [false, []];
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

function start(keep = 2, database = '/data/portaria.db'): void {
  stop = backUpRegularly({
    ...{ folder, everyMs: DAY_MS, keep, database, store: { storeId: 'c7d035' }, clock },
    telemetry: { emit: (name) => void emitted.push(name) },
    copy({ to }) {
      if (failing) return Promise.reject(new Error('no room'));
      writeFileSync(to, '');
      return Promise.resolve();
    },
  });
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  for (let turn = 0; turn < 5; turn += 1) await nextTick();
}

const files = () => readdirSync(folder).toSorted();

test('makes one at once, then one in each period, and keeps the newest and what is not its own', async () => {
  writeFileSync(join(folder, 'before-the-move.db'), '');
  start();
  await pass(0);
  expect(files()).toHaveLength(2);
  for (let day = 0; day < 3; day += 1) await pass(DAY_MS);
  const day = (ago: number) =>
    new Date(clock.now() - ago * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
  expect(files()).toEqual([
    'before-the-move.db',
    expect.stringContaining(`portaria-c7d035-${day(1)}T`),
    expect.stringContaining(`portaria-c7d035-${day(0)}T`),
  ]);
  expect(emitted).toEqual(Array.from({ length: 4 }, () => 'backup.made'));
});

test('a restart makes none before the newest is as old as the period', async () => {
  start();
  await pass(0);
  await stop();
  await pass(23 * HOUR_MS);
  start();
  await pass(30 * MINUTE_MS);
  expect(files()).toHaveLength(1);
  await pass(30 * MINUTE_MS);
  expect(files()).toHaveLength(2);
});

test('a copy that a wrong clock has dated into the time to come keeps none from being made', async () => {
  writeFileSync(join(folder, 'portaria-c7d035-29990101T000000Z.db'), '');
  start();
  await pass(0);
  expect(emitted).toEqual(['backup.made']);
});

test('what has been made stays, also with a clock that was ahead before; other stores, odd names and links too', async () => {
  const foreign = ['portaria-b1-20000101T000000Z.db', 'portaria-c7d035-20001399T999999Z.db'];
  for (const name of foreign) writeFileSync(join(folder, name), '');
  symlinkSync('portaria.db', join(folder, 'portaria-c7d035-20000101T000000Z.db'));
  start(1);
  await pass(0);
  clock.jump(-3 * DAY_MS);
  await stop();
  start(1);
  await pass(0);
  const day = new Date(clock.now()).toISOString().slice(0, 10).replaceAll('-', '');
  expect(files()).toHaveLength(4);
  expect(files().filter((name) => name.includes(`c7d035-${day}T`))).toHaveLength(1);
});

test('a copy that is served where it lies is never removed', async () => {
  const served = join(folder, 'portaria-c7d035-20000101T000000Z.db');
  writeFileSync(served, '');
  start(1, served);
  await pass(0);
  expect(files()).toHaveLength(2);
});

test('a failed one removes nothing, and is tried again after ten minutes', async () => {
  start(1);
  await pass(0);
  failing = true;
  await pass(DAY_MS);
  expect(emitted).toEqual(['backup.made', 'backup.failed']);
  expect(files()).toHaveLength(1);
  failing = false;
  await pass(10 * MINUTE_MS);
  expect(emitted.at(-1)).toBe('backup.made');
});

test('none for two periods needs an operator, and in a new folder none since the start', async () => {
  const backup = { folder, everyMs: DAY_MS, keep: 2 };
  const late = (since = clock.now()) => createFindLateBackup({ backup }, 'c7d035', since)(clock.now());
  expect(late()).toEqual([]);
  expect(late(0)).toMatchObject([{ summary: expect.stringContaining('there is no backup in') }]);
  start();
  await pass(0);
  failing = true;
  await pass(2 * DAY_MS - MINUTE_MS);
  expect(late(0)).toEqual([]);
  await pass(2 * MINUTE_MS);
  expect(late(0)).toMatchObject([
    {
      problem: 'backup-late',
      summary: expect.stringMatching(/^the newest backup is of .* in .*PORTARIA_BACKUP_DIR/u),
    },
  ]);
  expect(createFindLateBackup({ backup: null }, 'c7d035', 0)(clock.now())).toEqual([]);
});
