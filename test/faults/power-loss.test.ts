/**
 * Given a power loss at any moment: the files of random moments are opened again, with the log cut at
 * every frame and inside frames, and with torn checkpoints. Every acknowledged event whose frames are
 * complete is stored, no commit is partial, and SQLite's integrity check passes.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/time/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { printFigures } from './kit/figures.ts';
import { integrityCheck } from './kit/inspect-store.ts';
import { momentInACheckpoint, momentsUnderLoad, type Moment } from './kit/moments.ts';
import { need } from './kit/needs.ts';
import { cutAtFrames, cutInsideFrames, tornCheckpoints, type CrashImage } from './kit/disk/crash-images.ts';
import { draws, seedOfRun, type Draws } from './kit/seed.ts';
import { wholeNumber } from './kit/whole-number.ts';
import { checkpointedFrames } from './kit/disk/write-ahead-log.ts';

/** The number of frames to write: enough for checkpoints and a reset of the log. */
const FRAMES = wholeNumber('FAULTS_FRAMES', propertyRuns(1_200));
/** The number of checkpoints to interrupt. */
const CHECKPOINTS = 2;
/** The most pages that a checkpoint has written when it is interrupted. */
const MAX_PAGES = 40;
/** The number of cuts inside frames for each moment. */
const TORN = 3;
/** The number of torn pages for each checkpoint. */
const TORN_PAGES = 10;

/** Opens these files, and returns the events and the result of the integrity check. */
async function reopened({
  database,
  log,
}: CrashImage): Promise<{ readonly ids: readonly string[]; readonly check: string }> {
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

/** Opens every crash image of these moments of one store, in order, and collects the findings. */
async function openAll(moments: readonly Moment[], random: Draws, findings: Findings): Promise<void> {
  for (const [place, moment] of moments.entries()) {
    const cuts = [...cutAtFrames(moment, moments[place - 1])];
    const torn = [...cutInsideFrames(moment, random, TORN), ...tornCheckpoints(moment, random, TORN_PAGES)];
    findings.boundaries += cuts.length;
    findings.torn += torn.length;
    for (const remains of [...cuts, ...torn]) {
      const { ids, check } = await reopened(remains);
      const found = new Set(ids);
      const expected = acknowledgedAt(remains.frames, moments.slice(0, place + 1));
      for (const id of expected) if (!found.has(id)) findings.lost.add(id);
      if (check !== 'ok') findings.damaged += 1;
      // Commits are complete and in order: no event without the one before it.
      if (ids.some((id, index) => !id.endsWith(`-${String(index + 1)}`))) findings.gaps += 1;
    }
  }
}

/** The ids acknowledged when the log of the last moment had at most these frames. */
function acknowledgedAt(frames: number, moments: readonly Moment[]): readonly string[] {
  const salt = moments.at(-1)?.wal.salt;
  const last = moments.findLast(({ wal }) => wal.salt !== salt || wal.frames.length <= frames);
  return last?.acknowledged ?? [];
}

test('a power loss at any moment loses no acknowledged event', async (context) => {
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

test('a power loss during a checkpoint loses no acknowledged event', async (context) => {
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
