/** What the change of deliveries does in PostgreSQL's own way: locks of lanes, and heads of many lanes at once. */
import { sql } from 'kysely';
import { createDeliveryChanges, type DeliveryParts } from '../../shared/deliveries/change-deliveries.ts';
import { NO_HEAD } from '../../shared/deliveries/head-values.ts';
import { laneKey, type LaneKey } from '../../shared/deliveries/lane-key.ts';
import { endHolds } from '../../shared/pauses/pauses.ts';
import { forgetFailures } from '../failures/failure-changes.ts';
import { forgetAcknowledgements } from '../pauses/acknowledgements.ts';
import { postgresDialect } from '../sql/dialect.ts';
import { isAnyOf, isLockedAs, unnestOf } from '../sql/expressions.ts';
import { inTransaction } from '../sql/perform.ts';
import type { Session } from '../sql/session.ts';
import {
  firstDeliveries,
  laneColumns,
  lockLanesOf,
  makeHeads,
  makeHeadsOf,
  type LaneFront,
} from './lanes.ts';

export const deliveryParts: DeliveryParts = {
  lockLanesOf: (condition) =>
    inTransaction(async ({ session }) => {
      await lockLanesOf(
        session,
        await session.rows(sql<LaneKey>`select handler, lane from deliveries where ${condition}`),
      );
    }),
  putFirst: (revived, now) => inTransaction(({ session }) => putFirst(session, revived, now)),
  makeHeadsOf: (lanes, now) => inTransaction((transaction) => makeHeadsOf(transaction, lanes, now)),
  *moved(deliveries, to) {
    const ids = deliveries.map(({ id }) => id);
    yield* inTransaction(async ({ session, counts }) => {
      for (const delivery of deliveries) counts.deliveryMoved(delivery, delivery.status, to);
      await forgetFailures(session, ids);
    });
    yield* endHolds(postgresDialect, ids, forgetAcknowledgements);
  },
};

export const deliveryChanges = createDeliveryChanges({ dialect: postgresDialect }, deliveryParts);

/** A claim may start the former head of a lane meanwhile. */
async function putFirst(session: Session, revived: readonly LaneKey[], now: number): Promise<void> {
  const lanes = [...new Map(revived.map((lane) => [laneKey(lane.handler, lane.lane), lane])).values()];
  const first = await firstDeliveries(session, lanes);
  const former = await session.rows(
    sql<{ at: number; id: number; head: number }>`
      select (lanes.at - 1)::integer as at, former.id, former.head
      from ${unnestOf('lanes', lanes, { ...laneColumns, at: 'place' })}
      cross join lateral (
        select id, head from deliveries
        where deliveries.handler = lanes.handler and deliveries.lane = lanes.lane
          and finished_at is null and (head <> ${sql.lit(NO_HEAD)} or status = 'running')
        order by id limit 1
      ) as former`,
  );
  const heads = former.filter(({ head }) => head !== NO_HEAD).map(({ id }) => id);
  const demoted = await session.rows(
    sql<{ id: number }>`
      update deliveries set head = ${sql.lit(NO_HEAD)}
      where ${isLockedAs(sql`
        select id from deliveries where ${isAnyOf('id', heads, 'bigint')} and head <> ${sql.lit(NO_HEAD)}
        order by id for update`)}
      returning id`,
  );
  const free = new Set(demoted.map(({ id }) => id));
  const formerOf = new Map(former.map(({ at, id }) => [at, id]));
  const isFree = ({ at }: LaneFront): boolean => {
    const other = formerOf.get(at);
    return other === undefined || free.has(other);
  };
  await makeHeads(session, first.filter(isFree), now);
}
