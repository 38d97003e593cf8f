import { sql } from 'kysely';
import type { RetentionRecord } from '../../retention.ts';
import type { Connection } from '../sql/connection.ts';

/** Reads what was pruned, and when. Costs the same whatever the size of the store. */
export async function readRetention({ query, read }: Connection): Promise<RetentionRecord> {
  const row = await read.first(query.selectFrom('retention').selectAll().where('id', '=', 1));
  if (row === undefined) throw new Error('the table retention is empty');
  const oldest = await read.first(sql<{ received_at: number }>`
    select received_at from event_contents order by event_id limit 1`);
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
