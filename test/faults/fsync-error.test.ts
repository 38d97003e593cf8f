/**
 * Given a failed sync, a later one may falsely succeed. So the process reports it and ends. Acknowledged
 * events are stored; others may be sent again.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { serve, startServe } from '../support/running-portaria.ts';
import { createWorkspace, type Workspace } from '../support/workspace.ts';
import { chargeExchanges, respondedEarly, RELEVANT_CALLS } from './kit/senders/early-responses.ts';
import { writeBookkeeping } from './kit/bookkeeping.ts';
import { printFigures } from './kit/figures.ts';
import { fillDatabase } from './kit/filled-store.ts';
import { inspectStore, integrityCheck, storedBodies } from './kit/inspect-store.ts';
import { need } from './kit/needs.ts';
import { draws, seedOfRun } from './kit/seed.ts';
import { createSenders } from './kit/senders/senders.ts';
import { allHandled } from './kit/statistics.ts';
import { isSync, parseTrace, strace } from './kit/disk/system-calls.ts';
import { charges } from './kit/senders/webhooks.ts';

const seed = seedOfRun();
const { between } = draws(seed);

function environment(workspace: Workspace): Readonly<Record<string, string>> {
  return workspace.settings;
}

/** A workspace with an existing database, so that a start syncs little. */
async function usedWorkspace(): Promise<Workspace> {
  const workspace = createWorkspace();
  writeBookkeeping(workspace);
  await fillDatabase(workspace.database, []);
  return workspace;
}

async function bodiesIn({ database }: Workspace): Promise<readonly string[]> {
  return (await inspectStore(database, storedBodies)).map(({ body }) => body);
}

/** The syncs of each thread that fail: all from `first` on, or only `first`, so that later ones falsely succeed. */
interface Failing {
  readonly first: number;
  readonly later: 'fail' | 'succeed';
}

/** The strace options for these failures, limited to the syncs of one file if it is given. */
function failSyncs({ first, later }: Failing, file?: string): readonly string[] {
  const when = `${String(first)}${later === 'fail' ? '+' : ''}`;
  return [
    ...(file === undefined ? [] : ['-P', file]),
    ...['-e', RELEVANT_CALLS, '-e', `inject=fsync,fdatasync:error=EIO:when=${when}`],
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
  { what: 'a checkpoint', first: () => between(1, 2), later: 'succeed' },
];

describe.each(failures)('a failed sync of $what, later ones $later', ({ what, first, later }) => {
  test('ends the process, loses no acknowledged event, and a resent event is a duplicate', async (context) => {
    need(context, 'strace');
    const workspace = await usedWorkspace();
    const file = join(workspace.folder, 'trace');
    const failing = first();
    // Only a checkpoint syncs the database file itself.
    const syncs = { first: failing, later };
    const tracing = strace(file, ...failSyncs(syncs, what === 'a commit' ? undefined : workspace.database));
    const senders = createSenders([1, 2, 3, 4].map(charges));

    const doomed = await startServe(environment(workspace), tracing).ready();
    const sending = senders.sendTo(doomed.url);
    const ended = await eventually('the process has ended', () => endOf(doomed.ended));
    await sending;
    const before = senders.acknowledged.size;
    const trace = parseTrace(readFileSync(file, 'utf8'));
    const log = `${workspace.database}-wal`;
    // The process also tries to sync its log output, which is a pipe.
    const failed = trace.filter(
      (call) => isSync(call) && call.result === -1 && call.file.startsWith(workspace.database),
    );
    const [fatal] = failed;
    const writtenAfter = trace.filter(
      (call) => call.name.startsWith('pwrite') && call.file === fatal?.file && call.startedAt > fatal.endedAt,
    );
    // In the checkpoint tests only calls on the database file are traced.
    const exchanges = what === 'a commit' ? chargeExchanges(senders.acknowledged) : [];

    expect(failed).not.toEqual([]);
    expect(writtenAfter, 'written after the failure').toEqual([]);
    expect(respondedEarly(exchanges, trace, log), 'responded before a sync').toEqual([]);
    expect(ended).toMatchObject({ code: 1, signal: null });
    expect(ended.out).toMatch(/must not be written by this process.*the process ends/);
    expect(ended.out).toMatch(/SQLITE_IOERR/);

    expect(integrityCheck(workspace.database)).toBe('ok');
    // Events that were written without a response: they are duplicates when they are sent again.
    const unanswered = (await bodiesIn(workspace)).filter((body) => !senders.acknowledged.has(body));
    const next = await serve(environment(workspace));
    // Each sender sends its unanswered webhook again.
    const resending = senders.sendTo(next.url);
    senders.stop();
    await resending;
    // An acknowledged webhook may be sent again as well.
    const last = [...senders.acknowledged].slice(-1);
    for (const [body, id] of last)
      expect(await next.post(JSON.parse(body))).toMatchObject({ status: 200, body: { id } });
    const { repeats } = await allHandled(next);
    const stored = await bodiesIn(workspace);
    const kept = new Set(stored);
    const lost = [...senders.acknowledged.keys()].filter((body) => !kept.has(body));
    printFigures(`fsync error of ${what}`, {
      seed,
      'failing-from': failing,
      'later-ones': later,
      'failed-syncs': failed.length,
      acknowledged: before,
      'after-restart': senders.acknowledged.size,
      'written-without-response': unanswered.length,
      duplicates: repeats,
      stored: stored.length,
      lost: lost.length,
    });
    expect(lost).toEqual([]);
    expect(repeats).toBe(unanswered.length + last.length);
    expect(kept.size).toBe(stored.length);
    expect(senders.acknowledged.size).toBe(stored.length);
  });
});

test('a failed sync at the start is reported, and the next start works', async (context) => {
  need(context, 'strace');
  const { folder, database } = createWorkspace();
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

/** The value of a promise if it has resolved, else undefined. For polling. */
async function endOf<T>(promise: Promise<T>): Promise<T | undefined> {
  return Promise.race([promise, new Promise<undefined>((resolve) => setImmediate(resolve, undefined))]);
}
