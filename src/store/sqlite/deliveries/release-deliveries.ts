import { sql } from 'kysely';
import type { ClockJumps } from './clock-jumps.ts';
import type { Connection } from '../sql/connection.ts';
import { triesBefore } from './held-attempts.ts';
import type { MoveLaneOn } from './advance-lane.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { valuesOf } from '../sql/values-of.ts';

/**
 * Makes claimed deliveries pending again, their tries as before; those that are
 * not held are left alone. To be called inside a transaction.
 *
 * @param ids their numbers: a JSON list, which travels as it is and is read by SQLite
 */
export type ReleaseDeliveries = (ids: string, options: { readonly dueAt: number }) => void;

interface Parts {
  readonly moveLaneOn: MoveLaneOn;
  readonly counts: Pick<RowCounts, 'deliveryMoved'>;
  readonly clockJumps: Pick<ClockJumps, 'note'>;
}

/** One statement for all, because a process that stops may have claimed thousands ahead. */
export function createReleaseDeliveries(
  { database, query, clock }: Connection,
  { moveLaneOn, counts, clockJumps }: Parts,
): ReleaseDeliveries {
  const giveBack = prepare(database, (p: Named<{ ids: string; dueAt: number; now: number }>) =>
    query
      .updateTable('deliveries')
      .set((eb) => ({
        status: 'pending',
        attempts: triesBefore,
        // While it ran its lane had no head, and it is the first, unless an earlier one was retried meanwhile.
        head: sql<number>`not ${eb.exists(
          eb
            .selectFrom('deliveries as earlier')
            .select('earlier.id')
            .whereRef('earlier.handler', '=', 'deliveries.handler')
            .whereRef('earlier.lane', '=', 'deliveries.lane')
            .where('earlier.finished_at', 'is', null)
            .whereRef('earlier.id', '<', 'deliveries.id'),
        )}`,
        due_at: p.dueAt,
        asked_at: p.now,
      }))
      .where('id', 'in', valuesOf<number>(p.ids))
      .where('status', '=', 'running')
      .returning(['handler', 'lane', 'replay_id as replayId', 'head']),
  );

  return (ids, { dueAt }) => {
    const now = clock.now();
    const given = giveBack.all({ ids, dueAt: Math.max(dueAt, now), now });
    if (given.length > 0) clockJumps.note(now);
    for (const delivery of given) {
      counts.deliveryMoved(delivery, 'running', 'pending');
      if (delivery.head === 0) moveLaneOn(delivery, { now, next: false });
    }
  };
}
