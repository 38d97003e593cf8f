/** The record of retention, as operators read it. */
import type { Selectable } from 'kysely';
import type { RetentionRecord } from '../../retention.ts';
import type { DatabaseSchema } from '../tables.ts';

/** What was pruned, and when, from the row of `retention`. */
export function retentionRecord(
  row: Omit<Selectable<DatabaseSchema['retention']>, 'first_body'>,
  oldestBodyAt: number | null,
): RetentionRecord {
  return {
    events: row.pruned_events,
    bytes: row.pruned_bytes,
    quarantine: row.pruned_quarantine,
    deliveries: row.pruned_deliveries,
    discarded: row.discarded_deliveries,
    oldestBodyAt,
    lastRunAt: row.last_run_at,
    nextRunAt: row.next_run_at,
  };
}
