/** Records attempts that failed, many in one transaction: while a system is down, all lanes fail again and again. */
import { sql } from 'kysely';
import type { LaneQueue } from '../../lane-queue.ts';
import { NO_HEAD } from '../../rows/deliveries/head-values.ts';
import { createGroupCommit, type GroupCommit, type Outcome } from '../commit/group-commit.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import type { FailureRows } from '../failures/failure-rows.ts';
import type { FailedDelivery } from '../../rows/failure-group.ts';
import type { Connection } from '../sql/connection.ts';
import { unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { keepAttempts } from './attempts.ts';
import { heldBy, notInFlight, type HeldDelivery } from './held-delivery.ts';
import { isFirst, lockLanesOf, makeHeadsOf, tryLockLanesOf } from './lanes.ts';

/** Transactions that run at once: while one waits for the disk, another one is prepared. */
const MAX_TRANSACTIONS = 2;

/** An attempt that failed, and when its delivery is due again. */
interface FailedAttempt {
  readonly delivery: HeldDelivery;
  readonly failure: Parameters<LaneQueue['reschedule']>[1];
}

/** @returns `write` records one attempt, as `LaneQueue.reschedule` */
export function createFailedAttempts(
  { dispatch, clock }: Pick<Connection, 'dispatch' | 'clock'>,
  { location, failures }: { readonly location: string; readonly failures: FailureRows },
): GroupCommit<FailedAttempt, void> {
  return createGroupCommit({
    ...{ location, clock, maxTransactions: MAX_TRANSACTIONS },
    run: (attempts, options) =>
      dispatch((transaction) => recordFailed(transaction, attempts, { ...options, failures })),
    keyOf: ({ delivery }) => String(delivery.id),
    bytesOf: ({ failure }) => failure.reason.length,
  });
}

/**
 * Records attempts in a few statements. It leaves those out that need what another transaction has locked, unless
 * it waits.
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
  const ended = new Set(waits ? attempts : await lockable(session, attempts, failures));
  if (waits)
    await lockLanesOf(
      session,
      attempts.map(({ delivery }) => delivery),
    );
  requireTimely();
  if (ended.size > 0) await record(transaction, [...ended], failures);
  return attempts.map((attempt) => (ended.has(attempt) ? { value: undefined } : { isLocked: true }));
}

/** Locks what attempts need, and returns those of which no other transaction has locked something. */
async function lockable(
  session: Session,
  attempts: readonly FailedAttempt[],
  failures: FailureRows,
): Promise<readonly FailedAttempt[]> {
  const isLaneLocked = await tryLockLanesOf(
    session,
    attempts.map(({ delivery }) => delivery),
  );
  const canCount = await failures.tryLockGroups(session, attempts.map(failedDelivery));
  return attempts.filter((attempt) => isLaneLocked(attempt.delivery) && canCount(failedDelivery(attempt)));
}

function failedDelivery({ delivery, failure }: FailedAttempt): FailedDelivery {
  return { id: delivery.id, handler: delivery.handler, error: failure.reason, dead: false, now: failure.now };
}

async function record(
  { session, counts }: Transaction,
  ended: readonly FailedAttempt[],
  failures: FailureRows,
): Promise<void> {
  const changed = await session.rows(
    sql<{ handler: string; lane: number; head: number }>`
      update deliveries set
        status = 'pending', attempts = greatest(attempts, 1), last_error = failed.reason,
        due_at = greatest(failed.due_at, failed.now), asked_at = failed.now, holder = null, head = ${isFirst}
      from ${unnestOf('failed', ended, {
        id: ['bigint', ({ delivery }) => delivery.id],
        holder: ['bigint', ({ delivery }) => delivery.holder],
        reason: ['text', ({ failure }) => failure.reason],
        due_at: ['bigint', ({ failure }) => failure.dueAt],
        now: ['bigint', ({ failure }) => failure.now],
      })}
      where deliveries.id = failed.id and deliveries.status = 'running' and ${heldBy(sql`failed.holder`)}
      returning deliveries.handler, deliveries.lane, deliveries.head`,
  );
  if (changed.length !== ended.length) throw notInFlight(ended.map(({ delivery }) => delivery.id));
  for (const { delivery } of ended) counts.deliveryMoved(delivery, 'running', 'pending');
  await makeHeadsOf(
    { session, counts },
    changed.filter(({ head }) => head === NO_HEAD),
    Math.max(...ended.map(({ failure }) => failure.now)),
  );
  await keepAttempts(
    session,
    ended.map(({ delivery: { id }, failure: { now, dueAt, reason, durationMs } }) => {
      return { id, outcome: 'failed', now, dueAt, reason, durationMs };
    }),
  );
  await failures.failed(session, ended.map(failedDelivery));
}
