/** Leaves the newest delivery in lanes of which only that one runs. It runs in the writing thread: no `await`, no locks. */
import { sql } from 'kysely';
import type { Choice } from '../../shared/deliveries/claim-policy.ts';
import { HEAD, NO_HEAD } from '../../shared/deliveries/head-values.ts';
import type { LaneKey } from '../../shared/deliveries/lane-key.ts';
import {
  READ_AT_ONCE,
  wasReleased,
  wasRetried,
  type LatestClaim,
  type WaitingDelivery,
} from '../../shared/deliveries/latest-policy.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { valuesOf } from '../sql/expressions.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { queuedColumns } from './start.ts';

/** Changes the lanes of chosen heads. Called inside a transaction. */
export type SettleLanes = (choice: Choice, now: number, latest: LatestClaim) => void;

export function createSettleLanes(
  { database, query }: Connection,
  counts: Pick<RowCounts, 'deliveryMoved'>,
): SettleLanes {
  const lastOf = prepare<LaneKey, WaitingDelivery>(database, (p: Named<LaneKey>) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select(['deliveries.id', 'deliveries.event_id', 'events.version', 'events.received_at'])
      .select([
        sql<number>`events.verdict = 'ambiguous'`.as('ambiguous'),
        sql<number>`${wasReleased}`.as('released'),
        sql<number>`replay_id <> 0 or ${wasRetried}`.as('kept'),
      ])
      .where('deliveries.handler', '=', p.handler)
      .where('deliveries.lane', '=', p.lane)
      .where('deliveries.finished_at', 'is', null)
      .orderBy('deliveries.id', 'desc')
      .limit(sql.lit(READ_AT_ONCE)),
  );
  const skip = prepare(database, (p: Named<{ ids: string; reason: string; now: number }>) =>
    query
      .updateTable('deliveries')
      .set({
        status: 'skipped',
        head: NO_HEAD,
        due_at: null,
        asked_at: null,
        last_error: p.reason,
        finished_at: p.now,
      })
      .where('id', 'in', valuesOf<number>(p.ids)),
  );
  const makeHead = prepare(database, (p: Named<{ id: number; due: number; dueAt: number; now: number }>) =>
    query
      .updateTable('deliveries')
      .set({
        head: HEAD,
        due_at: p.dueAt,
        asked_at: p.now,
        rate_until: sql`coalesce(rate_until, (select rate_until from deliveries where id = ${p.due}))`,
      })
      .where('id', '=', p.id)
      .returning(queuedColumns)
      .returning(['due_at', 'cut_short'])
      .$narrowType<{ due_at: number }>(),
  );

  const waitingIn = ({ handler, lane }: LaneKey) => lastOf.all({ handler, lane });

  return (choice, now, latest) => {
    for (const change of latest.changesOf(latest.among(choice), waitingIn)) {
      const { due, superseded, reason = '', head } = change;
      if (superseded !== undefined) {
        skip.run({ ids: JSON.stringify(superseded), reason, now });
        const of = { handler: due.handler, replayId: 0 };
        counts.deliveryMoved(of, 'pending', 'skipped', superseded.length);
      }
      latest.made(change, head && makeHead.get({ ...head, due: due.delivery_id, now }));
    }
  };
}
