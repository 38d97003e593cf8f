import type { RetentionRecord } from '../../retention.ts';
import type { Connection } from '../sql/connection.ts';

/** Reads what was pruned, and when. Costs the same whatever the size of the store. */
export async function readRetention({ query }: Connection): Promise<RetentionRecord> {
  const row = await query.selectFrom('retention').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
  const oldest = await query
    .selectFrom('events')
    .select('received_at')
    .where('id', '>=', row.first_body)
    .where('body', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return {
    events: row.pruned_events,
    bytes: row.pruned_bytes,
    quarantine: row.pruned_quarantine,
    deliveries: row.pruned_deliveries,
    discarded: row.discarded_deliveries,
    oldestBodyAt: oldest?.received_at ?? null,
    lastRunAt: row.last_run_at,
    nextRunAt: row.next_run_at,
  };
}
