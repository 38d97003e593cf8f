/** Lists deliveries for operators. */
import { sql, type Expression, type SqlBool } from 'kysely';
import type { DeliveryFilter, DeliveryStatus, Queries } from '../../queries.ts';
import { createPauseLookup, type PauseLookup } from '../../pauses.ts';
import { pausesInForce } from '../pauses/pause-records.ts';
import type { Connection } from '../sql/connection.ts';
import { anyOf } from '../sql/expressions.ts';
import { deliveryRecord } from '../../shared/deliveries/delivery-record.ts';
import { rowOf } from '../../shared/ids.ts';
import { deliveryConditions } from './delivery-conditions.ts';

export function createDeliveryReads(connection: Connection): Pick<Queries, 'deliveries' | 'deliveriesOf'> {
  const { query, ids } = connection;

  /** Only a pending delivery can wait for a pause. */
  function pausesOf(rows: readonly { readonly status: string }[]): PauseLookup {
    return createPauseLookup(
      rows.some(({ status }) => status === 'pending') ? pausesInForce(connection) : [],
    );
  }

  return {
    async deliveriesOf(eventIds) {
      const rows = await query
        .selectFrom('deliveries')
        .select(['event_id', 'status'])
        .select(({ fn }) => fn.countAll<number>().as('deliveries'))
        .where('event_id', 'in', anyOf(eventIds.flatMap((id) => ids.eventRow(id) ?? [])))
        .groupBy(['event_id', 'status'])
        .execute();
      return rows.map((row) => ({
        eventId: ids.event(row.event_id),
        status: row.status as DeliveryStatus,
        deliveries: row.deliveries,
      }));
    },
    async deliveries(filter, { order, limit, after }) {
      const oldestFirst = order === 'oldest';
      let page = query
        .selectFrom('deliveries')
        .innerJoin('events', 'events.id', 'deliveries.event_id')
        .innerJoin('subjects', 'subjects.id', 'events.subject_id')
        .select([
          'deliveries.id',
          'deliveries.event_id',
          'deliveries.handler',
          'deliveries.effect',
          'deliveries.replay_id',
          'deliveries.status',
          'deliveries.attempts',
          'deliveries.last_error',
          'deliveries.due_at',
          'deliveries.finished_at',
          'events.kind',
          'subjects.source',
          'subjects.family',
          'subjects.entity',
        ])
        .select((eb) =>
          // A delivery behind another waits until that one is due.
          eb
            .selectFrom('deliveries as head')
            .select('head.due_at')
            .whereRef('head.handler', '=', 'deliveries.handler')
            .whereRef('head.lane', '=', 'deliveries.lane')
            .where('head.finished_at', 'is', null)
            .orderBy('head.id')
            .limit(1)
            .as('lane_due_at'),
        );
      const { error, status: _status, ...rest } = filter;
      page = page
        .$if(error !== undefined, (all) => all.innerJoin('failures', 'failures.delivery_id', 'deliveries.id'))
        .where((eb) =>
          error === undefined
            ? eb.and([...deliveryConditions(eb, filter, ids)])
            : eb.and([...deliveryConditions(eb, rest, ids), ofGroup(error, filter)]),
        );
      // The index of a group is in this order, so a page of a large group reads a page only.
      const number = error === undefined ? sql<number>`deliveries.id` : sql<number>`failures.delivery_id`;
      if (after !== undefined) {
        page = page.where(number, oldestFirst ? '>' : '<', rowOf('d', after) ?? -1);
      }
      const rows = await page
        .orderBy(number, oldestFirst ? 'asc' : 'desc')
        .limit(limit)
        .execute();
      const lookup = pausesOf(rows);
      return rows.map((row) => deliveryRecord(row, ids, lookup));
    },
  };
}

/**
 * The condition that a delivery, joined to its failure, is of a group. The plus keeps SQLite from finding all dead
 * deliveries first. The row of a failed attempt stays after a success, so the status decides.
 */
function ofGroup(error: string, { handler, status }: DeliveryFilter): Expression<SqlBool> {
  const group =
    handler === undefined
      ? sql`failures.group_id in (select id from failure_groups where fingerprint = ${error})`
      : sql`failures.group_id = (select id from failure_groups where fingerprint = ${error} and handler = ${handler})`;
  const current = sql`+deliveries.status in ('pending', 'running', 'dead')`;
  if (status === undefined) return sql<SqlBool>`(${group} and ${current})`;
  const dead = sql.lit(status === 'dead' ? 1 : 0);
  return sql<SqlBool>`(${group} and failures.dead = ${dead} and +deliveries.status = ${status} and ${current})`;
}
