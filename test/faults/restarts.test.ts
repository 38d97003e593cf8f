/** Starts in bad conditions: a wrong clock, several at once, an older copy of the database. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { charge } from '../support/webhooks/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { serve, startServe, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, createWorkspace, type Workspace } from '../support/workspace.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { shiftedClock } from './kit/programs/shifted-clock.ts';
import { allHandled } from './kit/statistics.ts';
import { chargeBody, loginBody } from './kit/senders/webhooks.ts';

const YEAR_MS = 365 * 24 * 3_600_000;

const environment = ({ database, handlers }: Workspace) => ({
  PORTARIA_DATABASE: database,
  PORTARIA_HANDLERS: handlers,
});

async function end(running: RunningPortaria, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  running.kill(signal);
  await running.ended;
}

test.each([-1, 1])('a clock that is off by %i year at the start delays no delivery', async (years) => {
  const workspace = createWorkspace();
  // By that clock, the retries are due in a year and ten minutes.
  workspace.writeHandler(
    'books.ts',
    `${recording(workspace)}
    export default defineHandler({
      name: 'books',
      on: 'charge.*',
      retry: { attempts: 1_000, baseMs: 600_000, maxMs: 600_000 },
      breaker: { failures: 1_000_000, subjects: 1_000 },
      handle({ data }) {
        if (!existsSync(join(folder, 'gate'))) { record('failed ' + data.id); throw new Error('the ledger is closed'); }
        record('booked ' + data.id + ' ' + data.amount);
      },
    });`,
  );
  const killed = await serve(environment(workspace));
  for (const amount of [1, 2])
    for (const id of [1, 2, 3]) expect((await killed.post(charge(id, amount))).status).toBe(202);
  await eventually('each charge has failed', () => workspace.recorded().length >= 3);
  await end(killed, 'SIGKILL');
  workspace.open('gate');

  const running = await serve({ ...environment(workspace), ...shiftedClock(workspace, years * YEAR_MS) });
  expect((await running.post(charge(4, 1))).status).toBe(202);

  const { deliveries } = await allHandled(running);
  expect(deliveries).toMatchObject({ succeeded: 7, dead: 0 });
  for (const id of [1, 2, 3])
    expect(workspace.recorded().filter((line) => line.startsWith(`booked ${String(id)} `))).toEqual([
      `booked ${String(id)} 1`,
      `booked ${String(id)} 2`,
    ]);
  printFigures(`a clock off by ${String(years)} year`, { ...deliveries });
});

test('given several starts at once on one database, one runs and the others say why they do not', async () => {
  // Only the shipped handlers: a faster start makes a closer race.
  const fresh = createWorkspace();
  const used = createWorkspace();
  const settings = ({ database }: Workspace) => ({ PORTARIA_DATABASE: database });
  const before = await serve(settings(used));
  expect((await before.post(JSON.parse(loginBody(1, 0)))).status).toBe(202);
  await end(before, 'SIGKILL');

  let [ran, failed] = [0, 0];
  for (const workspace of [fresh, used]) {
    const starts = await Promise.allSettled(
      Array.from({ length: 4 }, () => startServe(settings(workspace)).ready()),
    );
    const ready = starts.filter((start) => start.status === 'fulfilled').map(({ value }) => value);
    const others = starts.filter((start) => start.status === 'rejected').map(({ reason }) => String(reason));
    ran += ready.length;
    failed += others.length;

    expect(ready).toHaveLength(1);
    for (const reason of others)
      expect(reason).toMatch(/ended with 1 before it was ready(.|\n)*another running Portaria/);
    for (const running of ready) {
      expect((await running.post(JSON.parse(loginBody(2, 0)))).status).toBeLessThan(203);
      expect((await allHandled(running)).deliveries).toMatchObject({ succeeded: workspace === used ? 2 : 1 });
      await end(running, 'SIGTERM');
    }
    expect(integrityCheck(workspace.database)).toBe('ok');
  }
  printFigures('starts at one moment', { starts: ran + failed, ran, failed });
});

test('an older copy of the database continues from its own state', async () => {
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  const first = await serve(environment(workspace));
  for (let number = 1; number <= 20; number += 1)
    expect((await first.post(JSON.parse(chargeBody(1, number)))).status).toBe(202);
  await allHandled(first);
  await end(first, 'SIGTERM');
  const copy = join(workspace.folder, 'copy.db');
  copyFileSync(workspace.database, copy);
  const second = await serve(environment(workspace));
  for (let number = 21; number <= 60; number += 1) await second.post(JSON.parse(chargeBody(1, number)));
  await end(second, 'SIGKILL');

  // The write-ahead log belongs to the replaced database.
  copyFileSync(copy, workspace.database);
  for (const rest of ['-wal', '-shm']) rmSync(`${workspace.database}${rest}`, { force: true });
  const third = await serve(environment(workspace));
  for (let number = 20; number <= 40; number += 1)
    expect((await third.post(JSON.parse(chargeBody(1, number)))).status).toBe(number === 20 ? 200 : 202);
  const { deliveries } = await allHandled(third);
  await end(third, 'SIGTERM');

  const stored = (await inspectStore(workspace.database, storedBodies)).map(({ body }) => body);
  expect(stored).toEqual(Array.from({ length: 40 }, (_, index) => chargeBody(1, index + 1)));
  expect(deliveries).toMatchObject({ succeeded: 3 * 40, dead: 0 });
  expect(integrityCheck(workspace.database)).toBe('ok');
  printFigures('an older copy', { stored: stored.length, ...deliveries });
});
