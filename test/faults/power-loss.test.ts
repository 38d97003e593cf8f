/**
 * Power loss: what lies on the disk at arbitrary moments, the log cut at every
 * frame and in the middle of frames, is opened again. Every acknowledged event
 * is there once its frames are, nothing is there by halves, and SQLite's own
 * check finds nothing.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/system-clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { serve } from '../support/running-portaria.ts';
import { workshop } from '../support/workshop.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { integrityCheck } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { draws, seedOfRun, type Draws } from './kit/seed.ts';
import { createSenders } from './kit/senders.ts';
import { stillImage, type StillImage } from './kit/still-image.ts';
import { charges } from './kit/webhooks.ts';
import { checkpointedFrames, lengthOf, readLog, type WriteAheadLog } from './kit/write-ahead-log.ts';

const SENDERS = 6;
/** Frames to write in all: the log is checkpointed and begun anew on the way. */
const FRAMES = Number(process.env['FAULTS_FRAMES'] ?? 1_500);
/** Cuts inside frames, and torn checkpoints, for each image. */
const TORN = 3;

/** An image with what had been acknowledged by then. */
interface Moment extends StillImage {
  readonly wal: WriteAheadLog;
  readonly acknowledged: readonly string[];
}

async function momentsUnderLoad({ between }: Draws): Promise<readonly Moment[]> {
  const place = workshop();
  writeBookkeeping(place);
  const running = await serve({ PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers });
  const senders = createSenders(Array.from({ length: SENDERS }, (_, sender) => charges(sender)));
  const sending = senders.sendTo(running.url);
  const moments: Moment[] = [];
  for (let frames = 0; frames < FRAMES;) {
    await pause(between(1, 40));
    let acknowledged: readonly string[] = [];
    const image = await stillImage(running, place.database, () => {
      acknowledged = [...senders.acknowledged.values()];
    });
    const wal = readLog(image.log);
    const last = moments.at(-1);
    frames += wal.salt === last?.wal.salt ? wal.frames.length - last.wal.frames.length : wal.frames.length;
    moments.push({ ...image, wal, acknowledged });
  }
  senders.stop();
  await sending;
  running.kill('SIGTERM');
  await running.ended;
  return moments;
}

/** What opening these files again finds. */
async function reopened(
  database: Buffer,
  log: Buffer,
): Promise<{ readonly ids: readonly string[]; readonly check: string }> {
  const memory = '/dev/shm';
  const folder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'portaria-power-'));
  try {
    const path = join(folder, 'portaria.db');
    writeFileSync(path, database);
    writeFileSync(`${path}-wal`, log);
    const store = await openSqliteStore({ path, role: 'owner', clock: systemClock });
    await store.recover();
    const events = await store.events({}, { order: 'oldest', limit: 1_000_000 });
    await store.close();
    return { ids: events.map(({ id }) => id), check: integrityCheck(path) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What the power may leave: the files, and how many frames of the log are whole. */
interface Remains {
  readonly database: Buffer;
  readonly log: Buffer;
  readonly frames: number;
}

/** The log cut at every frame boundary that no earlier image of the same log had. */
function* cutAtFrames({ database, log, wal, index }: Moment, last: Moment | undefined): Generator<Remains> {
  // Frames that a checkpoint has begun to copy were synced before it.
  const synced = checkpointedFrames(index);
  const known = last?.wal.salt === wal.salt ? last.wal.frames.length + 1 : 0;
  for (
    let frames = Math.max(synced, Math.min(known, wal.frames.length));
    frames <= wal.frames.length;
    frames += 1
  )
    yield { database, log: log.subarray(0, lengthOf(frames, wal)), frames };
}

/** The log cut inside a frame, with rubbish behind. */
function* cutInsideFrames({ database, log, wal, index }: Moment, { between }: Draws): Generator<Remains> {
  const synced = checkpointedFrames(index);
  for (let cuts = 0; cuts < TORN && synced < wal.frames.length; cuts += 1) {
    const frames = between(synced, wal.frames.length - 1);
    const cut = between(lengthOf(frames, wal) + 1, lengthOf(frames + 1, wal) - 1);
    const rubbish = Buffer.alloc(between(0, 2 * wal.pageSize), between(0, 255));
    yield { database, log: Buffer.concat([log.subarray(0, cut), rubbish]), frames };
  }
}

/** A checkpoint torn in the middle: pages of the database that the log still has are rubbish. */
function* tornCheckpoints({ database, log, wal, index }: Moment, { between }: Draws): Generator<Remains> {
  const copied = wal.frames.slice(0, checkpointedFrames(index)).filter((page) => page > 1);
  for (let tears = 0; tears < TORN && copied.length > 0; tears += 1) {
    const torn = Buffer.from(database);
    const page = copied[between(0, copied.length - 1)] ?? 0;
    torn.fill(0x5a, (page - 1) * wal.pageSize, page * wal.pageSize - between(0, wal.pageSize - 1));
    yield { database: torn, log, frames: wal.frames.length };
  }
}

/** Ids acknowledged when no more than these frames were in the log. */
function owedAt(frames: number, moment: Moment, moments: readonly Moment[]): readonly string[] {
  const earlier = moments.slice(0, moments.indexOf(moment) + 1);
  return (
    earlier.findLast(({ wal }) => wal.salt !== moment.wal.salt || wal.frames.length <= frames)
      ?.acknowledged ?? []
  );
}

test('whatever moment the power goes at, what was acknowledged is there', async (context) => {
  need(context, 'linux');
  const seed = seedOfRun();
  const random = draws(seed);
  const moments = await momentsUnderLoad(random);

  const counts = { boundaries: 0, torn: 0, lost: 0, damaged: 0, gaps: 0 };
  for (const [place, moment] of moments.entries()) {
    const cuts = [...cutAtFrames(moment, moments[place - 1])];
    const torn = [...cutInsideFrames(moment, random), ...tornCheckpoints(moment, random)];
    counts.boundaries += cuts.length;
    counts.torn += torn.length;
    for (const { database, log, frames } of [...cuts, ...torn]) {
      const { ids, check } = await reopened(database, log);
      const found = new Set(ids);
      counts.lost += owedAt(frames, moment, moments).filter((id) => !found.has(id)).length;
      if (check !== 'ok') counts.damaged += 1;
      // Whole commits in their order: never an event without the one before it.
      if (ids.some((id, index) => !id.endsWith(`-${String(index + 1)}`))) counts.gaps += 1;
    }
  }

  printFigures('power loss', {
    seed,
    moments: moments.length,
    logs: new Set(moments.map(({ wal }) => wal.salt)).size,
    'during-checkpoints': moments.filter(({ index }) => checkpointedFrames(index) > 0).length,
    acknowledged: moments.at(-1)?.acknowledged.length ?? 0,
    ...counts,
  });
  expect(counts).toMatchObject({ lost: 0, damaged: 0, gaps: 0 });
  expect(counts.boundaries).toBeGreaterThan(FRAMES / 2);
});
