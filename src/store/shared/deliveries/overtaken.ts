/** Finds what is overtaken: the same handler has handled, or handles first, a later event of the subject. */
import { sql, type RawBuilder } from 'kysely';
import type { Plans } from '../../plans.ts';
import type { DeliveryStatus } from '../../queries.ts';
import { notSuperseded } from '../events/event-conditions.ts';
import { subjectRow } from '../events/verdict.ts';
import { rowId } from '../ids.ts';
import type { SharedConnection } from '../sql/connection.ts';
import type { Condition } from '../sql/dialect.ts';
import { deliveryConditions } from './delivery-conditions.ts';

/** What is retried runs before the deliveries that wait in its lane, and after the one that runs. */
const BEFORE_RETRY = ['succeeded', 'running'] as const;
/** What is released or replayed runs after those that wait, too. */
export const BEFORE_NEW = [...BEFORE_RETRY, 'pending'] as const;

/**
 * Selects those items that are overtaken: `item`, `handler`, and `later_id`, the number of the later event. The later of
 * two events is that with the higher version, or if one has none, that which arrived last. Each lane is read once,
 * however many of the items it has.
 *
 * @param handled the statuses of deliveries that are handled before the items
 * @param counts which events count as later, of `events` for `lane.handler`: by default all
 * @param before which of these `later` events are handled before `item`: by default all
 * @param items selects `item`, `handler`, and of its event `subject_id`, `version`, `received_at` and `event_id`
 */
export function selectOvertaken(
  items: RawBuilder<unknown>,
  handled: readonly DeliveryStatus[],
  counts: Condition = sql`true`,
  before: Condition = sql`true`,
): RawBuilder<unknown> {
  const lastHandled = (order: RawBuilder<unknown>, found: Condition) => sql`(
    select events.id from events
    where events.subject_id = lane.subject_id and ${notSuperseded} and ${found} and ${counts} and exists (
      select 1 from deliveries where deliveries.event_id = events.id and deliveries.handler = lane.handler
        and deliveries.effect = '' and deliveries.status in (${sql.join(handled.map((status) => sql.lit(status)))}))
    order by ${order} limit 1)`;
  const byArrival = sql`events.received_at desc, events.id desc`;
  return sql`
    with item as materialized (${items}),
    lane as materialized (
      select lane.handler, lane.subject_id, ${lastHandled(byArrival, sql`true`)} as last,
        ${lastHandled(byArrival, sql`events.version is null`)} as unversioned,
        ${lastHandled(sql`events.version desc, ${byArrival}`, sql`events.version is not null`)} as highest
      from (select distinct handler, subject_id from item) as lane
    ),
    handled as (
      select handler, subject_id, last as id from lane union
      select handler, subject_id, unversioned from lane union
      select handler, subject_id, highest from lane
    )
    select item.item, item.handler, max(later.id) as later_id
    from item
    join handled on handled.handler = item.handler and handled.subject_id = item.subject_id
    join events as later on later.id = handled.id
    where ${before} and case
      when item.version <> later.version then later.version > item.version
      when later.received_at = item.received_at then later.id > item.event_id
      else later.received_at > item.received_at
    end
    group by item.item, item.handler`;
}

interface OvertakenRow {
  readonly item: number;
  readonly handler: string;
  readonly later_id: number;
}

type OvertakenReads = Pick<Plans, 'overtaken' | 'overtakenArrival'>;

export function createOvertakenReads({ read, dialect, ids }: SharedConnection): OvertakenReads {
  return {
    async overtaken(filter, { handlers, limit }) {
      if (handlers.length === 0) return [];
      const items = sql`
        select deliveries.id as item, deliveries.handler, events.subject_id, events.version, events.received_at,
          events.id as event_id
        from deliveries
        join events on events.id = deliveries.event_id
        join subjects on subjects.id = events.subject_id
        where ${deliveryConditions(filter, ids, dialect)} and deliveries.effect = ''
          and ${dialect.isAnyOf('deliveries.handler', handlers, 'text')}`;
      const rows = await read.rows(
        sql<OvertakenRow & { readonly of_handler: number }>`
          select * from (
            select found.*, count(*) over (partition by handler) as of_handler,
              row_number() over (partition by handler order by item) as place
            from (${selectOvertaken(items, BEFORE_RETRY)}) as found
          ) as numbered
          where place <= ${limit} order by item`,
      );
      return rows.map((row) => ({
        id: rowId('d', row.item),
        handler: row.handler,
        by: ids.event(row.later_id),
        ofHandler: row.of_handler,
      }));
    },
    async overtakenArrival({ source, subject, version, receivedAt }, handlers) {
      if (handlers.length === 0) return [];
      // Stored now, it has the highest number.
      const items = sql`
        select 0 as item, wanted.handler, subjects.id as subject_id, cast(${version} as text) as version,
          cast(${receivedAt} as bigint) as received_at, ${sql.lit(Number.MAX_SAFE_INTEGER)} as event_id
        from ${dialect.tableOf('wanted', handlers, { handler: ['text', (handler) => handler] })}
        join subjects on subjects.id = (${subjectRow(source, subject)})`;
      const found = sql<OvertakenRow>`select * from (${selectOvertaken(items, BEFORE_NEW)}) as found order by handler`;
      const rows = await read.rows(found);
      return rows.map(({ handler, later_id }) => ({ handler, by: ids.event(later_id) }));
    },
  };
}
