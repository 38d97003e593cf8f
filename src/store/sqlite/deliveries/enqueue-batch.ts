/** Stores the deliveries of a replay. */
import { sql } from 'kysely';
import { PortariaError } from '../../../kernel/errors.ts';
import type { ReplayDeliveries } from '../../replays.ts';
import type { LaneOrder, Route } from '../../route.ts';
import { HEAD } from '../../shared/deliveries/head-values.ts';
import { replayGroups } from '../../shared/replays/replay-events.ts';
import type { RowCounts } from '../statistics/row-counts.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';
import type { ClockJumps } from './clock-jumps.ts';
import { laneInSql } from './lanes.ts';

/** The deliveries of a replay to one handler. */
export interface ReplayBatch {
  readonly route: Route;
  /** Event numbers in lane order: a JSON array, which SQLite reads as it is. */
  readonly events: string;
  /** The number of events. */
  readonly count: number;
}

/** Groups deliveries by handler; see `replayGroups`. */
export function replayBatches(deliveries: readonly ReplayDeliveries[]): readonly ReplayBatch[] {
  return replayGroups(deliveries).map(({ route, events }) => ({
    route,
    events: JSON.stringify(events),
    count: events.length,
  }));
}

/**
 * Stores the deliveries of a replay at the end of their lanes, except those
 * stored before and those of pruned events. Called inside a transaction.
 *
 * @throws PortariaError `not-found` for an unknown event.
 */
export type EnqueueBatch = (replayId: number, batch: ReplayBatch, now: number) => void;

interface Deps {
  readonly counts: Pick<RowCounts, 'deliveryStored'>;
  readonly clockJumps: Pick<ClockJumps, 'note'>;
}

/** As `EnqueueDelivery` one by one, in a few statements: a replay enqueues thousands at a time. */
export function createEnqueueBatch(
  { database, query, ids }: Connection,
  { counts, clockJumps }: Deps,
): EnqueueBatch {
  const last = prepare(database, () =>
    query.selectFrom('deliveries').select(({ fn }) => fn.max<number | null>('id').as('id')),
  );
  const insert = prepare(database, (p: Named<Insertion>) => {
    const id = sql<number>`${p.last} + wanted.key + 1`;
    const isSkipped = sql`(events.verdict = 'stale' and not ${p.stale})`;
    return query
      .insertInto('deliveries')
      .columns([
        'id',
        'event_id',
        'handler',
        'replay_id',
        'lane_order',
        'lane',
        'status',
        'last_error',
        'finished_at',
      ])
      .expression(
        query
          .selectFrom(listed(p.events))
          .innerJoin('events', 'events.id', 'wanted.value')
          .select([
            id.as('id'),
            'events.id as event_id',
            p.handler.as('handler'),
            p.replayId.as('replay_id'),
            p.order.as('lane_order'),
            laneInSql(p.order, id).as('lane'),
            sql`iif(${isSkipped}, 'skipped', 'pending')`.as('status'),
            sql`iif(${isSkipped}, 'stale', null)`.as('last_error'),
            sql`iif(${isSkipped}, ${p.now}, null)`.as('finished_at'),
          ])
          .where('events.body', 'is not', null),
      )
      .onConflict((conflict) => conflict.doNothing());
  });
  const countSkipped = prepare(database, (p: Named<{ last: number }>) =>
    query
      .selectFrom('deliveries')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('id', '>', p.last)
      .where('status', '=', 'skipped'),
  );
  const makeHeads = prepare(database, (p: Named<{ last: number; handler: string; now: number }>) =>
    query
      .updateTable('deliveries')
      .set({ head: HEAD, due_at: p.now, asked_at: p.now })
      .where('id', '>', p.last)
      .where('finished_at', 'is', null)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('deliveries as earlier')
              .select('earlier.id')
              .where('earlier.handler', '=', p.handler)
              .whereRef('earlier.lane', '=', 'deliveries.lane')
              .where('earlier.finished_at', 'is', null)
              .whereRef('earlier.id', '<', 'deliveries.id'),
          ),
        ),
      ),
  );
  const missing = prepare(database, (p: Named<{ events: string }>) =>
    query
      .selectFrom(listed(p.events))
      .select('wanted.value')
      .where('wanted.value', 'not in', query.selectFrom('events').select('events.id'))
      .limit(1),
  );

  return (replayId, { route, events, count }, now) => {
    const { handler, order } = route;
    const before = last.get({})?.id ?? 0;
    const stale = route.stale ? 1 : 0;
    const stored = insert.run({ last: before, handler, replayId, order, stale, now, events }).changes;
    const unknown = stored < count ? missing.get({ events }) : undefined;
    if (unknown !== undefined) {
      throw new PortariaError('not-found', `there is no event ${ids.event(unknown.value)}`);
    }
    const skipped = route.stale ? 0 : (countSkipped.get({ last: before })?.count ?? 0);
    if (makeHeads.run({ last: before, handler, now }).changes > 0) clockJumps.note(now);
    counts.deliveryStored({ handler, replayId }, 'pending', stored - skipped);
    counts.deliveryStored({ handler, replayId }, 'skipped', skipped);
  };
}

interface Insertion {
  /** The highest row number of a delivery so far. */
  last: number;
  handler: string;
  replayId: number;
  order: LaneOrder;
  stale: number;
  now: number;
  events: string;
}

/** A JSON array as a table. */
function listed(events: Named<{ events: string }>['events']) {
  return sql<{ key: number; value: number }>`json_each(${events})`.as('wanted');
}
