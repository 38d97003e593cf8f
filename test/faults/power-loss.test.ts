/**
 * Power loss: what lies on the disk at arbitrary moments, the log cut at every
 * frame and in the middle of frames, and checkpoints torn, is opened again.
 * Every acknowledged event is there once its frames are, nothing is there by
 * halves, and SQLite's own check finds nothing.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { printFigures } from './kit/figures.ts';
import { integrityCheck } from './kit/inspect-store.ts';
import { momentInACheckpoint, momentsUnderLoad, type Moment } from './kit/moments.ts';
import { need } from './kit/needs.ts';
import { cutAtFrames, cutInsideFrames, tornCheckpoints, type Remains } from './kit/remains.ts';
import { draws, seedOfRun, type Draws } from './kit/seed.ts';
import { wholeNumber } from './kit/whole-number.ts';
import { checkpointedFrames } from './kit/write-ahead-log.ts';

/** Frames to write in all: the log is checkpointed and begun anew on the way. */
const FRAMES = wholeNumber('FAULTS_FRAMES', 1_500);
/** Moments in the middle of a checkpoint, by how many pages it had written. */
const CHECKPOINTS = 3;
const MAX_PAGES = 40;
/** Cuts inside frames of each moment, and torn pages of each checkpoint. */
const TORN = 3;
const TORN_PAGES = 20;

/** What opening these files again finds. */
async function reopened({
  database,
  log,
}: Remains): Promise<{ readonly ids: readonly string[]; readonly check: string }> {
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

interface Findings {
  boundaries: number;
  torn: number;
  /** Ids of acknowledged events. */
  readonly lost: Set<string>;
  damaged: number;
  gaps: number;
}

const nothingFound = (): Findings => ({ boundaries: 0, torn: 0, lost: new Set(), damaged: 0, gaps: 0 });

/** Opens whatever the power may have left at any of the moments, which are of one store and in their order. */
async function openAll(moments: readonly Moment[], random: Draws, findings: Findings): Promise<void> {
  for (const [place, moment] of moments.entries()) {
    const cuts = [...cutAtFrames(moment, moments[place - 1])];
    const torn = [...cutInsideFrames(moment, random, TORN), ...tornCheckpoints(moment, random, TORN_PAGES)];
    findings.boundaries += cuts.length;
    findings.torn += torn.length;
    for (const remains of [...cuts, ...torn]) {
      const { ids, check } = await reopened(remains);
      const found = new Set(ids);
      const owed = owedAt(remains.frames, moments.slice(0, place + 1));
      for (const id of owed) if (!found.has(id)) findings.lost.add(id);
      if (check !== 'ok') findings.damaged += 1;
      // Whole commits in their order: never an event without the one before it.
      if (ids.some((id, index) => !id.endsWith(`-${String(index + 1)}`))) findings.gaps += 1;
    }
  }
}

/** Ids acknowledged when no more than these frames were in the log of the last of the moments. */
function owedAt(frames: number, moments: readonly Moment[]): readonly string[] {
  const salt = moments.at(-1)?.wal.salt;
  const last = moments.findLast(({ wal }) => wal.salt !== salt || wal.frames.length <= frames);
  return last?.acknowledged ?? [];
}

test('whatever moment the power goes at, what was acknowledged is there', async (context) => {
  need(context, 'linux');
  const seed = seedOfRun();
  const random = draws(seed);
  const findings = nothingFound();

  const moments = await momentsUnderLoad(random, FRAMES);
  await openAll(moments, random, findings);

  printFigures('power loss', {
    seed,
    moments: moments.length,
    logs: new Set(moments.map(({ wal }) => wal.salt)).size,
    acknowledged: moments.at(-1)?.acknowledged.length ?? 0,
    ...findings,
    lost: findings.lost.size,
  });
  expect([...findings.lost]).toEqual([]);
  expect(findings).toMatchObject({ damaged: 0, gaps: 0 });
  expect(findings.boundaries).toBeGreaterThan(FRAMES / 2);
});

test('nor is anything lost when the power goes in the middle of a checkpoint', async (context) => {
  need(context, 'linux', 'strace');
  const seed = seedOfRun();
  const random = draws(seed);
  const findings = nothingFound();

  const pages = Array.from({ length: CHECKPOINTS }, () => random.between(1, MAX_PAGES));
  let acknowledged = 0;
  for (const written of pages) {
    const moment = await momentInACheckpoint(written);
    expect(checkpointedFrames(moment.index)).toBeGreaterThan(0);
    acknowledged += moment.acknowledged.length;
    await openAll([moment], random, findings);
  }

  printFigures('power loss in a checkpoint', {
    seed,
    'at-page': pages.join(','),
    acknowledged,
    ...findings,
    lost: findings.lost.size,
  });
  expect([...findings.lost]).toEqual([]);
  expect(findings).toMatchObject({ damaged: 0, gaps: 0 });
  expect(findings.torn).toBeGreaterThan(0);
});
