import type { ClockJumps } from './clock-jumps.ts';
import type { Connection } from '../sql/connection.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { WaitingDeliveries } from './waiting-deliveries.ts';

/** Frees what a crashed owner left running. To be called inside a transaction. */
export type Recover = () => number;

/** Tries from which on a delivery that was cut short may be what ends the process. */
const SUSPICIOUS = 2;
/** Milliseconds between the suspects, and that the last of them waits at most. */
const APART_MS = 1_000;
const MAX_WAIT_MS = 30_000;

interface CutShort {
  readonly id: number;
  readonly handler: string;
  readonly lane: number;
  readonly replayId: number;
  readonly attempts: number;
}

interface Parts {
  readonly waiting: Pick<WaitingDeliveries, 'first' | 'promote'>;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly clockJumps: ClockJumps;
}

/**
 * A delivery that ends the process is cut short each time, and with it all that
 * run beside it: they would use up their tries together. So the suspects start
 * one after the other, and whoever has not begun when the process ends again
 * loses no try. The most tried comes first, and ties go one way round and then
 * the other: after two more ends the culprit is ahead of all, and ends alone.
 */
export function createRecover({ database, query, clock }: Connection, parts: Parts): Recover {
  const { waiting, counts, clockJumps } = parts;
  const running = prepare(database, () =>
    query
      .selectFrom('delivery_counts')
      .select('handler')
      .where('status', '=', 'running')
      .where('deliveries', '>', 0)
      .limit(1),
  );
  const cutShort = prepare<object, CutShort>(database, () =>
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

  function release(delivery: CutShort, dueAt: number, now: number): void {
    const { id, attempts } = delivery;
    requeue.run({ id, dueAt, now, reason: cutShortReason(attempts) });
    counts.deliveryMoved(delivery, 'running', 'pending');
    const head = waiting.first(delivery);
    if (head !== undefined) waiting.promote(head, now);
  }

  return () => {
    const now = clock.now();
    // All that is unfinished is looked through, so only when there is something to find.
    const deliveries = running.get({}) === undefined ? [] : cutShort.all({});
    clockJumps.endAllBrokenWaits(now);
    let suspects = 0;
    for (const delivery of deliveries.toSorted(bySuspicion)) {
      const waitMs = delivery.attempts < SUSPICIOUS ? 0 : Math.min(APART_MS * suspects++, MAX_WAIT_MS);
      release(delivery, now + waitMs, now);
    }
    return deliveries.length;
  };
}

/** What was claimed ahead has counted no try yet, and nobody knows whether it had begun. */
function cutShortReason(attempts: number): string {
  return attempts === 0
    ? 'the process ended before try 1 was over'
    : `the process ended during try ${String(attempts)}`;
}

function bySuspicion(one: CutShort, other: CutShort): number {
  const direction = one.attempts % 2 === 0 ? 1 : -1;
  return other.attempts - one.attempts || direction * (one.id - other.id);
}
