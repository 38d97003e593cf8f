/** Leaves the newest delivery in lanes of which only that one runs. It runs in the writing thread: no `await`, no locks. */
import { sql } from 'kysely';
import type { LaneHead } from '../../shared/deliveries/claim-policy.ts';
import { HEAD, NO_HEAD } from '../../shared/deliveries/head-values.ts';
import type { LaneKey } from '../../shared/deliveries/lane-key.ts';
import {
  changeOfLane,
  READ_AT_ONCE,
  wasRetried,
  type LatestClaim,
  type LatestHead,
  type SettledHeads,
  type WaitingDelivery,
} from '../../shared/deliveries/latest-policy.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { valuesOf } from '../sql/expressions.ts';
import { prepare, type Named } from '../sql/statement.ts';
import { queuedColumns } from './start.ts';

/** Changes the lanes of due heads. Called inside a transaction. */
export type SettleLanes = (heads: readonly LatestHead[], now: number, claim: LatestClaim) => SettledHeads;

export function createSettleLanes(
  { database, query, ids }: Connection,
  counts: Pick<RowCounts, 'deliveryMoved'>,
): SettleLanes {
  const lastOf = prepare<LaneKey, WaitingDelivery>(database, (p: Named<LaneKey>) =>
    query
      .selectFrom('deliveries')
      .innerJoin('events', 'events.id', 'deliveries.event_id')
      .select(['deliveries.id', 'deliveries.event_id', 'events.version', 'events.received_at'])
      .select([
        sql<number>`events.verdict = 'ambiguous'`.as('ambiguous'),
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
  const makeHead = prepare(database, (p: Named<{ id: number; dueAt: number; now: number }>) =>
    query
      .updateTable('deliveries')
      .set({ head: HEAD, due_at: p.dueAt, asked_at: p.now })
      .where('id', '=', p.id)
      .returning(queuedColumns)
      .returning(['due_at', 'cut_short'])
      .$narrowType<{ due_at: number }>(),
  );

  return (heads, now, claim) => {
    const settled = new Map<LaneHead, LaneHead | null>();
    for (const { head: due, policy } of heads) {
      const { handler, lane } = due;
      const most = claim.left();
      const change = changeOfLane(due, lastOf.all({ handler, lane }), { ...policy, now, most, ids });
      if (change === undefined) continue;
      const { superseded, head } = change;
      if (superseded !== undefined) {
        skip.run({ ids: JSON.stringify(superseded.ids), reason: superseded.reason, now });
        counts.deliveryMoved({ handler, replayId: 0 }, 'pending', 'skipped', superseded.ids.length);
      }
      const made = head && makeHead.get({ ...head, now });
      settled.set(due, made !== undefined && made.due_at <= now ? made : null);
      claim.changed(handler, change);
    }
    return settled;
  };
}
