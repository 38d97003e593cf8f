/** Starts under bad omens: handlers that do not compile, a clock that lost a year, several at once, an older copy of the database. */
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { charge } from '../support/envelopes.ts';
import { eventually } from '../support/eventually.ts';
import { portaria, serve, startServe, type RunningPortaria } from '../support/running-portaria.ts';
import { recording, workshop, type Workshop } from '../support/workshop.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { shiftedClock } from './kit/shifted-clock.ts';
import { allHandled, statisticsOf } from './kit/statistics.ts';
import { chargeBody, loginBody } from './kit/webhooks.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
const HANDLERS_FILE = 'books.ts';

const environment = ({ database, handlers }: Workshop) => ({
  PORTARIA_DATABASE: database,
  PORTARIA_HANDLERS: handlers,
});

/** A handler that fails, and is to be tried again after some milliseconds, until the gate is open. */
function writeFailing(place: Workshop, waitMs: number): void {
  place.writeHandler(
    HANDLERS_FILE,
    `${recording(place)}
    export default defineHandler({
      name: 'books',
      on: 'charge.*',
      retry: { attempts: 1_000, baseMs: ${String(waitMs)}, maxMs: ${String(waitMs)} },
      breaker: { failures: 1_000_000, subjects: 1_000 },
      handle({ data }) {
        if (!existsSync(join(folder, 'gate'))) { record('failed ' + data.id); throw new Error('the ledger is closed'); }
        record('booked ' + data.id + ' ' + data.amount);
      },
    });`,
  );
}

/** A place whose process was killed while so many charges, of two webhooks each, wait for their next try. */
async function killedWithWaiting(charges: number, waitMs: number): Promise<Workshop> {
  const place = workshop();
  writeFailing(place, waitMs);
  const running = await serve(environment(place));
  for (const amount of [1, 2])
    for (let id = 1; id <= charges; id += 1)
      expect((await running.post(charge(id, amount))).status).toBe(202);
  await eventually('each charge has failed', () => place.recorded().length >= charges);
  await end(running, 'SIGKILL');
  return place;
}

async function end(running: RunningPortaria, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  running.kill(signal);
  await running.ended;
}

test.each([-1, 1])('a clock that is off by %i year at the start makes nothing wait for it', async (years) => {
  // Its waits are of a year and ten minutes then, or would be.
  const place = await killedWithWaiting(3, 600_000);
  place.open('gate');

  const running = await serve({ ...environment(place), ...shiftedClock(place, years * YEAR_MS) });
  expect((await running.post(charge(4, 1))).status).toBe(202);

  const { deliveries } = await allHandled(running);
  expect(deliveries).toMatchObject({ succeeded: 7, dead: 0 });
  for (const id of [1, 2, 3])
    expect(place.recorded().filter((line) => line.startsWith(`booked ${String(id)} `))).toEqual([
      `booked ${String(id)} 1`,
      `booked ${String(id)} 2`,
    ]);
  printFigures(`a clock off by ${String(years)} year`, { ...deliveries });
});

test('handlers that do not compile are refused; what waits for them is there when they do', async () => {
  const place = await killedWithWaiting(3, 100);
  place.open('gate');
  place.writeHandler(HANDLERS_FILE, 'export default {{');

  const refused = await portaria(['serve'], environment(place));

  expect(refused).toMatchObject({ code: 4, signal: null, out: '' });
  expect(refused.err).toContain(HANDLERS_FILE);
  writeFailing(place, 100);
  const running = await serve(environment(place));
  const { deliveries } = await allHandled(running);
  expect(deliveries).toMatchObject({ succeeded: 6, dead: 0 });
  printFigures('handlers that do not compile', { exit: String(refused.code), ...deliveries });
});

test('handlers that are gone keep what waits for them, and take the rest', async () => {
  const place = await killedWithWaiting(3, 100);
  place.open('gate');
  rmSync(join(place.handlers, HANDLERS_FILE));
  const without = await serve(environment(place));
  expect((await without.post(charge(4, 1))).status).toBe(202);
  const meanwhile = await statisticsOf(without);
  await end(without, 'SIGTERM');

  writeFailing(place, 100);
  const running = await serve(environment(place));

  const { deliveries } = await allHandled(running);
  expect(meanwhile.deliveries).toMatchObject({ pending: 6, dead: 0 });
  expect(deliveries).toMatchObject({ succeeded: 6, dead: 0 });
  printFigures('handlers that are gone', { kept: meanwhile.deliveries.pending, ...deliveries });
});

test('of several that start at one moment on one file one runs, and the others say why not', async () => {
  // The shipped handlers only: the sooner they get there, the closer the race is.
  const fresh = workshop();
  const used = workshop();
  const settings = ({ database }: Workshop) => ({ PORTARIA_DATABASE: database });
  const before = await serve(settings(used));
  expect((await before.post(JSON.parse(loginBody(1, 0)))).status).toBe(202);
  await end(before, 'SIGKILL');

  let [ran, refused] = [0, 0];
  for (const place of [fresh, used, fresh]) {
    const starts = await Promise.allSettled(
      Array.from({ length: 4 }, () => startServe(settings(place)).ready()),
    );
    const ready = starts.filter((start) => start.status === 'fulfilled').map(({ value }) => value);
    const others = starts.filter((start) => start.status === 'rejected').map(({ reason }) => String(reason));
    ran += ready.length;
    refused += others.length;

    expect(ready).toHaveLength(1);
    for (const reason of others)
      expect(reason).toMatch(/ended with 1 before it was ready(.|\n)*another running Portaria/);
    for (const running of ready) {
      expect((await running.post(JSON.parse(loginBody(2, 0)))).status).toBeLessThan(203);
      expect((await allHandled(running)).deliveries).toMatchObject({ succeeded: place === used ? 2 : 1 });
      await end(running, 'SIGTERM');
    }
    expect(integrityCheck(place.database)).toBe('ok');
  }
  printFigures('starts at one moment', { starts: ran + refused, ran, refused });
});

test('an older copy of the database goes on from where it was', async () => {
  const place = workshop();
  writeBookkeeping(place);
  const first = await serve(environment(place));
  for (let turn = 1; turn <= 20; turn += 1)
    expect((await first.post(JSON.parse(chargeBody(1, turn)))).status).toBe(202);
  await allHandled(first);
  await end(first, 'SIGTERM');
  const copy = join(place.folder, 'copy.db');
  copyFileSync(place.database, copy);
  const second = await serve(environment(place));
  for (let turn = 21; turn <= 200; turn += 1) await second.post(JSON.parse(chargeBody(1, turn)));
  await end(second, 'SIGKILL');

  // The log belongs to what is replaced.
  copyFileSync(copy, place.database);
  for (const rest of ['-wal', '-shm']) rmSync(`${place.database}${rest}`, { force: true });
  const third = await serve(environment(place));
  for (let turn = 20; turn <= 40; turn += 1)
    expect((await third.post(JSON.parse(chargeBody(1, turn)))).status).toBe(turn === 20 ? 200 : 202);
  const { deliveries } = await allHandled(third);
  await end(third, 'SIGTERM');

  const stored = (await inspectStore(place.database, storedBodies)).map(({ body }) => body);
  expect(stored).toEqual(Array.from({ length: 40 }, (_, index) => chargeBody(1, index + 1)));
  expect(deliveries).toMatchObject({ succeeded: 3 * 40, dead: 0 });
  expect(integrityCheck(place.database)).toBe('ok');
  printFigures('an older copy', { stored: stored.length, ...deliveries });
});
