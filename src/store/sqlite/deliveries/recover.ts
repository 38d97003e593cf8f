import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { KeepAttempt } from './attempts.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { Lanes } from './lanes.ts';

/** Makes the deliveries that a crashed owner left running pending again. Called inside a transaction. */
export type Recover = () => number;

/** The attempts from which an interrupted delivery is suspected of crashing the process. */
const MIN_SUSPECT_ATTEMPTS = 2;
/** Milliseconds between the starts of suspects. */
const APART_MS = 1_000;
/** The maximum delay of a suspect, in milliseconds. */
const MAX_DELAY_MS = 30_000;

interface Interrupted {
  readonly id: number;
  readonly handler: string;
  readonly lane: number;
  readonly replayId: number;
  readonly attempts: number;
}

interface Deps {
  readonly lanes: Pick<Lanes, 'first' | 'makeHead'>;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly clockJumps: ClockJumps;
  readonly keepAttempt: KeepAttempt;
}

/**
 * A delivery that crashes the process interrupts all that run beside it, which
 * would use up their attempts together. So suspects start one after the other:
 * a delivery that has not begun at the next crash loses no attempt. The one with
 * most attempts comes first. Ties alternate direction with each crash, so that
 * after two more crashes the culprit is first, and runs alone.
 */
export function createRecover(
  { database, query, clock }: Connection,
  { lanes, counts, clockJumps, keepAttempt }: Deps,
): Recover {
  const running = prepare(database, () =>
    query
      .selectFrom('delivery_counts')
      .select('handler')
      .where('status', '=', 'running')
      .where('deliveries', '>', 0)
      .limit(1),
  );
  const interrupted = prepare<object, Interrupted>(database, () =>
    query
      .selectFrom('deliveries')
      .select(['id', 'handler', 'lane', 'replay_id as replayId', 'attempts'])
      .where('finished_at', 'is', null)
      .where('status', '=', 'running'),
  );
  const requeue = prepare(database, (p: Named<{ id: number; dueAt: number; now: number; reason: string }>) =>
    query
      .updateTable('deliveries')
      .set((eb) => ({
        status: 'pending',
        cut_short: eb.lit(1),
        due_at: p.dueAt,
        asked_at: p.now,
        last_error: p.reason,
      }))
      .where('id', '=', p.id),
  );

  function release(delivery: Interrupted, dueAt: number, now: number): void {
    const { id, attempts } = delivery;
    const reason = interruptedReason(attempts);
    requeue.run({ id, dueAt, now, reason });
    // A prefetched delivery may not have begun.
    if (attempts > 0) keepAttempt({ id, outcome: 'interrupted', now, durationMs: undefined, dueAt, reason });
    counts.deliveryMoved(delivery, 'running', 'pending');
    const first = lanes.first(delivery);
    if (first !== undefined) lanes.makeHead(first, now);
  }

  return () => {
    const now = clock.now();
    // The query scans all unfinished deliveries, so it runs only if the counts know a running one.
    const deliveries = running.get({}) === undefined ? [] : interrupted.all({});
    clockJumps.endAllBrokenWaits(now);
    let suspects = 0;
    for (const delivery of deliveries.toSorted(bySuspicion)) {
      const waitMs =
        delivery.attempts < MIN_SUSPECT_ATTEMPTS ? 0 : Math.min(APART_MS * suspects++, MAX_DELAY_MS);
      release(delivery, now + waitMs, now);
    }
    return deliveries.length;
  };
}

/** A prefetched delivery has counted no attempt, and may not have begun. */
function interruptedReason(attempts: number): string {
  return attempts === 0
    ? 'the process ended before attempt 1 was over'
    : `the process ended during attempt ${String(attempts)}`;
}

function bySuspicion(one: Interrupted, other: Interrupted): number {
  const direction = one.attempts % 2 === 0 ? 1 : -1;
  return other.attempts - one.attempts || direction * (one.id - other.id);
}
