/**
 * Records attempts that failed, many in one transaction: while a system is down, all lanes fail again and again.
 *
 * Groups of failures are locked before lanes, and both are only tried: whatever another transaction holds is left out.
 */
import { sql } from 'kysely';
import type { LaneQueue } from '../../lane-queue.ts';
import { NO_HEAD } from '../../shared/deliveries/head-values.ts';
import { createGroupCommit, type Outcome } from '../commit/group-commit.ts';
import { SHORT_WAIT_MS } from '../database/connections/lock-waits.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { failureOf, type Failure, type FailureRows } from '../failures/failure-rows.ts';
import type { Connection } from '../sql/connection.ts';
import { unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { keepAttempts } from './attempts.ts';
import { isRunOf, notInFlight, runColumns, type OwnedDelivery } from './owned-delivery.ts';
import { isFirst, lockLanesOf, makeHeadsOf, tryLockDeliveries } from './lanes.ts';

/** Transactions that run at once: while one waits for the disk, another one is prepared. */
const MAX_TRANSACTIONS = 2;

/** An attempt that failed, and when its delivery is due again. */
interface FailedAttempt {
  readonly delivery: OwnedDelivery;
  readonly end: AttemptEnd;
  /** As its group counts it. */
  readonly failure: Failure;
}

type AttemptEnd = Parameters<LaneQueue['reschedule']>[1];

/** Records attempts that failed. */
export interface FailedAttempts {
  /** As `LaneQueue.reschedule`. */
  record(delivery: OwnedDelivery, end: AttemptEnd): Promise<void>;
  /** Records what waits. Later calls reject. */
  close(): Promise<void>;
}

export function createFailedAttempts(
  { dispatch, clock }: Pick<Connection, 'dispatch' | 'clock'>,
  { location, failures }: { readonly location: string; readonly failures: FailureRows },
): FailedAttempts {
  const commits = createGroupCommit<FailedAttempt, void>({
    ...{ location, clock, maxTransactions: MAX_TRANSACTIONS },
    run: (attempts, options) =>
      dispatch((transaction) => recordFailed(transaction, attempts, { ...options, failures }), {
        lockWaitMs: SHORT_WAIT_MS,
      }),
    keyOf: ({ delivery }) => String(delivery.id),
    bytesOf: ({ end }) => end.reason.length,
  });
  return {
    async record(delivery, end) {
      const { id, handler } = delivery;
      const failure = failureOf({ id, handler, error: end.reason, dead: false, now: end.now });
      await commits.write({ delivery, end, failure });
    },
    close: () => commits.close(),
  };
}

/**
 * Records attempts in a few statements. It leaves those out that need what another transaction has locked. If all
 * do, and it waits, it waits for the first one.
 */
async function recordFailed(
  transaction: Transaction,
  attempts: readonly FailedAttempt[],
  {
    waits,
    requireTimely,
    failures,
  }: {
    readonly waits: boolean;
    readonly requireTimely: () => void;
    readonly failures: FailureRows;
  },
): Promise<readonly Outcome<void>[]> {
  const { session } = transaction;
  const free = await lockable(session, attempts, failures);
  // It waits for one lane alone: others need those that it would hold meanwhile.
  const ended = free.length > 0 || !waits ? free : attempts.slice(0, 1);
  if (free.length === 0)
    await lockLanesOf(
      session,
      ended.map(({ delivery }) => delivery),
    );
  requireTimely();
  if (ended.length > 0) await recordAll(transaction, ended, failures);
  const recorded = new Set(ended);
  return attempts.map((attempt) => (recorded.has(attempt) ? { value: undefined } : { isLocked: true }));
}

/** Locks what attempts need, and returns those of which no other transaction has locked something. */
async function lockable(
  session: Session,
  attempts: readonly FailedAttempt[],
  failures: FailureRows,
): Promise<readonly FailedAttempt[]> {
  const canCount = await failures.tryLockGroups(
    session,
    attempts.map(({ failure }) => failure),
  );
  const countable = attempts.filter(({ failure }) => canCount(failure));
  const free = new Set(
    await tryLockDeliveries(
      session,
      countable.map(({ delivery }) => delivery),
    ),
  );
  return countable.filter(({ delivery }) => free.has(delivery));
}

async function recordAll(
  transaction: Transaction,
  ended: readonly FailedAttempt[],
  failures: FailureRows,
): Promise<void> {
  const { session, counts } = transaction;
  const changed = await session.rows(
    sql<{ handler: string; lane: number; head: number }>`
      update deliveries set
        status = 'pending', attempts = greatest(attempts, 1), last_error = failed.reason,
        due_at = greatest(failed.due_at, failed.now), asked_at = failed.now, holder = null, head = ${isFirst}
      from ${unnestOf('failed', ended, {
        ...runColumns(({ delivery }: FailedAttempt) => delivery),
        reason: ['text', ({ end }) => end.reason],
        due_at: ['bigint', ({ end }) => end.dueAt],
        now: ['bigint', ({ end }) => end.now],
      })}
      where ${isRunOf('failed')}
      returning deliveries.handler, deliveries.lane, deliveries.head`,
  );
  if (changed.length !== ended.length) throw notInFlight(ended.map(({ delivery }) => delivery.id));
  for (const { delivery } of ended) counts.deliveryMoved(delivery, 'running', 'pending');
  await makeHeadsOf(
    transaction,
    changed.filter(({ head }) => head === NO_HEAD),
    Math.max(...ended.map(({ end }) => end.now)),
  );
  await keepAttempts(
    session,
    ended.map(({ delivery: { id }, end: { now, dueAt, reason, durationMs, outcome = 'failed' } }) => {
      return { id, outcome, now, dueAt, reason, durationMs };
    }),
  );
  await failures.failed(
    session,
    ended.map(({ failure }) => failure),
  );
}
