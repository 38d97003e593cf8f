import { sql } from 'kysely';
import type { DeliveryStatus, Queries } from '../../queries.ts';
import type { Connection } from '../sql/connection.ts';
import { arrayOf } from '../sql/expressions.ts';

/** Counts the deliveries of events by their status. */
export function createDeliveryCounts({ read, ids }: Connection): Pick<Queries, 'deliveriesOf'> {
  return {
    async deliveriesOf(eventIds) {
      const numbers = eventIds.flatMap((id) => ids.eventRow(id) ?? []);
      const rows = await read.rows(sql<{ event: number; status: DeliveryStatus; deliveries: number }>`
        select event_id as event, status, count(*) as deliveries from deliveries
        where event_id = any(${arrayOf(numbers, 'bigint')})
        group by event_id, status order by event_id, status`);
      return rows.map(({ event, ...counted }) => ({ eventId: ids.event(event), ...counted }));
    },
  };
}
