/** A disk that is full: 503 and later, never an acknowledgement that does not hold, and no restart once there is room. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { portaria, serve, type RunningPortaria } from '../support/running-portaria.ts';
import { workshop } from '../support/workshop.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { pageLimit } from './kit/page-limit.ts';
import { createSenders } from './kit/senders.ts';
import { mountSmallDisk } from './kit/small-disk.ts';
import { allHandled } from './kit/statistics.ts';
import { chargeBody, charges } from './kit/webhooks.ts';

const SENDERS = 4;
/** Acknowledgements that even a little room is enough for. */
const RESUMED_A_LITTLE = 20;
/** Refusals to see before there is room again, and acknowledgements after. */
const REFUSED = 40;
const RESUMED = 200;

/** What is kept in quarantine, and does not fit into what is left of a page. */
const LONG_AND_INVALID = `{"type":"charge.updated","data":{"odd":"${'x'.repeat(65_536)}"}}`;

const health = async ({ url }: RunningPortaria): Promise<number> =>
  (await fetch(new URL('/healthz', url))).status;

/** Sends until the disk is full, makes room, and sends on; then checks that nothing acknowledged is missing. */
async function fillAndMakeRoom(
  what: string,
  database: string,
  running: RunningPortaria,
  makeRoom: () => void,
  makeLittleRoom?: () => void,
): Promise<void> {
  const senders = createSenders(Array.from({ length: SENDERS }, (_, sender) => charges(sender)));
  const sending = senders.sendTo(running.url);
  const refused = (): number => senders.refusals.get(503) ?? 0;

  await eventually('the disk is full', () => refused() >= REFUSED, 120_000);
  for (const body of [chargeBody(99, 1), LONG_AND_INVALID]) {
    const answer = await fetch(running.url, { method: 'POST', body });
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(await health(running)).toBe(503);
  const whenFull = senders.acknowledged.size;

  if (makeLittleRoom !== undefined) {
    makeLittleRoom();
    const enough = whenFull + RESUMED_A_LITTLE;
    await eventually('a little is enough to go on', () => senders.acknowledged.size >= enough);
  }
  makeRoom();
  await eventually('it goes on by itself', () => senders.acknowledged.size >= whenFull + RESUMED);
  expect(await health(running)).toBe(200);
  senders.stop();
  await sending;
  const { deliveries } = await allHandled(running);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });

  const stored = (await inspectStore(database, storedBodies)).map(({ body }) => body);
  const kept = new Set(stored);
  const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
  printFigures(`disk full, ${what}`, {
    'acknowledged-until-full': whenFull,
    refused: refused(),
    'acknowledged-in-all': senders.acknowledged.size,
    stored: stored.length,
    'handled-deliveries': deliveries.succeeded,
    lost: lost.length,
  });
  expect([...senders.refusals.keys()]).toEqual([503]);
  expect(lost).toEqual([]);
  expect(stored).toHaveLength(senders.acknowledged.size);
  expect(kept.size).toBe(stored.length);
  // Each charge reaches the handler, the machine and the machine's effect.
  expect(deliveries).toMatchObject({ succeeded: 3 * stored.length, dead: 0 });
  expect(integrityCheck(database)).toBe('ok');
}

test('a small disk', async (context) => {
  need(context, 'mount');
  const place = workshop();
  writeBookkeeping(place);
  const disk = mountSmallDisk(join(place.folder, 'disk'), 'size=2m');
  const database = join(disk.folder, 'portaria.db');
  const running = await serve({ PORTARIA_DATABASE: database, PORTARIA_HANDLERS: place.handlers });

  const resize = (size: string) => () => {
    disk.remount(`size=${size}`);
  };
  // Less than the log would take on a large disk.
  await fillAndMakeRoom('tmpfs of 2 MiB', database, running, resize('64m'), resize('2560k'));
});

test('a database that may not grow', async () => {
  const place = workshop();
  writeBookkeeping(place);
  const env = { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
  const running = await serve({ ...env, ...pageLimit(place, 150) });

  await fillAndMakeRoom('150 pages', place.database, running, () => {
    place.open('room');
  });
});

test('a disk that is full at the start', async (context) => {
  need(context, 'mount');
  const disk = mountSmallDisk(join(workshop().folder, 'disk'), 'size=64k');
  writeFileSync(join(disk.folder, 'filler'), Buffer.alloc(60 * 1024));
  const database = join(disk.folder, 'portaria.db');

  const { code, err } = await portaria(['serve'], { PORTARIA_DATABASE: database });

  printFigures('disk full at the start', { exit: String(code) });
  expect(code).toBe(1);
  expect(err).toContain(database);
  expect(err).toMatch(/disk is full: make room/);
});
