import { sql } from 'kysely';
import type { LaneOrder } from '../../route.ts';
import type { Transaction } from '../commit/write.ts';
import { arrayOf } from '../sql/expressions.ts';
import { laneKey } from './enqueue.ts';
import { laneOf } from './lane-locks.ts';

/** The delivery of an event that was just stored. */
export interface FirstDelivery {
  readonly eventId: number;
  readonly subjectId: number;
  readonly handler: string;
  readonly order: LaneOrder;
  /** The reason to store it as skipped. */
  readonly skip: string | null;
}

/**
 * Stores the deliveries of new events at the ends of their lanes, in the given order, as heads where the lane is empty.
 * The caller has locked the lanes.
 *
 * @param options.occupied the keys of the lanes in which a delivery waits or runs
 */
export async function enqueueFirst(
  { session, counts }: Transaction,
  deliveries: readonly FirstDelivery[],
  { now, occupied }: { readonly now: number; readonly occupied: ReadonlySet<string> },
): Promise<void> {
  if (deliveries.length === 0) return;
  const taken = new Set(occupied);
  const rows = deliveries.map((delivery) => {
    const { handler, order, subjectId, skip } = delivery;
    counts.deliveryStored({ handler, replayId: 0 }, skip === null ? 'pending' : 'skipped');
    const lane = laneOf(order, subjectId, 0);
    const key = laneKey(handler, lane);
    const isHead = skip === null && (order === 'none' || !taken.has(key));
    if (isHead) taken.add(key);
    return { ...delivery, lane, head: isHead ? 1 : 0 };
  });
  type Row = (typeof rows)[number];
  const column = <T extends string | number | null>(
    value: (row: Row) => T,
    type: 'bigint' | 'text' | 'smallint',
  ) => arrayOf(rows.map(value), type);
  // A lane without order is named by its delivery, whose number is drawn here.
  await session.run(sql`
    insert into deliveries (
      id, event_id, handler, lane_order, lane, status, last_error, finished_at, head, due_at, asked_at
    )
    select id, event_id, handler, lane_order, case lane_order when 'none' then -id else lane end,
      case when skip is null then 'pending' else 'skipped' end, skip, case when skip is null then null else ${now}::bigint end,
      head, case head when 1 then ${now}::bigint end, case head when 1 then ${now}::bigint end
    from (
      select nextval('deliveries_id_seq') as id, first.*
      from unnest(
        ${column(({ eventId }) => eventId, 'bigint')},
        ${column(({ handler }) => handler, 'text')},
        ${column(({ order }) => order, 'text')},
        ${column(({ lane }) => lane, 'bigint')},
        ${column(({ skip }) => skip, 'text')},
        ${column(({ head }) => head, 'smallint')}
      ) as first (event_id, handler, lane_order, lane, skip, head)
      offset 0
    ) as numbered`);
}
