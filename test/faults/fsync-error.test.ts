/**
 * A sync that fails: a later one may falsely succeed, so the process must say
 * so and end. What was acknowledged is there, what was not may come again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serve, startServe } from '../support/running-portaria.ts';
import { workshop, type Workshop } from '../support/workshop.ts';
import { answeredCharges, answeredEarly, TELLING_CALLS } from './kit/answered-early.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { fillDatabase } from './kit/filled-store.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { draws, seedOfRun } from './kit/seed.ts';
import { createSenders } from './kit/senders.ts';
import { allHandled } from './kit/statistics.ts';
import { isSync, parseTrace, strace } from './kit/system-calls.ts';
import { charges } from './kit/webhooks.ts';

const seed = seedOfRun();
const { between } = draws(seed);

/** How long the process may take from the failure to its end. */
const SOON_MS = 20_000;

function environment(place: Workshop): Readonly<Record<string, string>> {
  return { PORTARIA_DATABASE: place.database, PORTARIA_HANDLERS: place.handlers };
}

/** A workshop with a database that has been used before: a start syncs little. */
async function usedWorkshop(): Promise<Workshop> {
  const place = workshop();
  writeBookkeeping(place);
  await fillDatabase(place.database, []);
  return place;
}

async function bodiesIn({ database }: Workshop): Promise<readonly string[]> {
  return (await inspectStore(database, storedBodies)).map(({ body }) => body);
}

/** Which syncs of each thread fail: all from one on; or one alone, and later ones succeed, falsely. */
interface Failing {
  readonly first: number;
  readonly later: 'fail' | 'succeed';
}

/** strace's options for it; only for the syncs of a file, when one is given. */
function failSyncs({ first, later }: Failing, file?: string): readonly string[] {
  const when = `${String(first)}${later === 'fail' ? '+' : ''}`;
  return [
    ...(file === undefined ? [] : ['-P', file]),
    ...['-e', TELLING_CALLS, '-e', `inject=fsync,fdatasync:error=EIO:when=${when}`],
  ];
}

interface Failure {
  readonly what: 'a commit' | 'a checkpoint';
  readonly first: () => number;
  readonly later: Failing['later'];
}

const failures: readonly Failure[] = [
  { what: 'a commit', first: () => between(6, 12), later: 'fail' },
  { what: 'a commit', first: () => between(20, 80), later: 'succeed' },
  { what: 'a commit', first: () => between(80, 120), later: 'fail' },
  { what: 'a checkpoint', first: () => 1, later: 'succeed' },
  { what: 'a checkpoint', first: () => 2, later: 'fail' },
];

describe.each(failures)('a failed sync of $what, later ones $later', ({ what, first, later }) => {
  test('ends the process; nothing acknowledged is lost, and what comes again is recognised', async (context) => {
    need(context, 'strace');
    const place = await usedWorkshop();
    const file = join(place.folder, 'trace');
    const failing = first();
    // A checkpoint is what syncs the database itself.
    const syncs = { first: failing, later };
    const tracing = strace(file, ...failSyncs(syncs, what === 'a commit' ? undefined : place.database));
    const senders = createSenders([1, 2, 3, 4].map(charges));

    const doomed = await startServe(environment(place), tracing).ready();
    const sending = senders.sendTo(doomed.url);
    const ended = await eventually('the process has ended', () => endOf(doomed.ended), SOON_MS);
    await sending;
    const before = senders.acknowledged.size;
    const trace = parseTrace(readFileSync(file, 'utf8'));
    const log = `${place.database}-wal`;
    // Its log to a pipe it tries to sync, too.
    const failed = trace.filter(
      (call) => isSync(call) && call.result === -1 && call.file.startsWith(place.database),
    );
    const [fatal] = failed;
    const writtenAfter = trace.filter(
      (call) => call.name.startsWith('pwrite') && call.file === fatal?.file && call.startedAt > fatal.endedAt,
    );
    // Of a checkpoint only the calls on the database itself are traced.
    const answered = what === 'a commit' ? answeredCharges(senders.acknowledged) : [];

    expect(failed).not.toEqual([]);
    expect(writtenAfter, 'written after the failure').toEqual([]);
    expect(answeredEarly(answered, trace, log), 'answered before a sync').toEqual([]);
    expect(ended).toMatchObject({ code: 1, signal: null });
    expect(ended.out).toContain('The disk can no longer be trusted; the process ends');
    expect(ended.out).toMatch(/SQLITE_IOERR/);

    expect(integrityCheck(place.database)).toBe('ok');
    // Written, though nobody was told: when these come again, they are repeats.
    const unanswered = (await bodiesIn(place)).filter((body) => !senders.acknowledged.has(body));
    const next = await serve(environment(place));
    // Each sender sends again what had no answer.
    const resending = senders.sendTo(next.url);
    senders.stop();
    await resending;
    // And what was acknowledged may come again as well.
    const last = [...senders.acknowledged].slice(-1);
    for (const [body, id] of last)
      expect(await next.post(JSON.parse(body))).toMatchObject({ status: 200, body: { id } });
    const { repeats } = await allHandled(next);
    const stored = await bodiesIn(place);
    const kept = new Set(stored);
    const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
    printFigures(`fsync error of ${what}`, {
      seed,
      'failing-from': failing,
      'later-ones': later,
      'failed-syncs': failed.length,
      acknowledged: before,
      'after-restart': senders.acknowledged.size,
      'written-unanswered': unanswered.length,
      recognised: repeats,
      stored: stored.length,
      lost: lost.length,
    });
    expect(lost).toEqual([]);
    expect(repeats).toBe(unanswered.length + last.length);
    expect(kept.size).toBe(stored.length);
    expect(senders.acknowledged.size).toBe(stored.length);
  });
});

test('a sync that fails at the start is told, and the next start is clean', async (context) => {
  need(context, 'strace');
  const { folder, database } = workshop();
  const file = join(folder, 'trace');

  const doomed = startServe(
    { PORTARIA_DATABASE: database },
    strace(file, ...failSyncs({ first: 1, later: 'fail' }, database)),
  );
  const ended = await doomed.ended;

  expect(ended.code).toBe(1);
  expect(ended.err).toMatch(/portaria\.db.*(SQLITE_IOERR|disk I\/O error)/);
  const next = await serve({ PORTARIA_DATABASE: database });
  expect(
    (await next.post({ type: 'charge.updated', data: { id: 1, type: 'fee', status: 'paid', amount: 1 } }))
      .status,
  ).toBe(202);
  printFigures('fsync error at the start', { exit: String(ended.code) });
});

/** What a promise resolved to, once it has; for polling. */
async function endOf<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
}
