/** Adds up what was ever pruned. */
import { sql } from 'kysely';
import type { Session } from '../sql/session.ts';

/** Numbers to add to what was pruned since the store was created. */
export interface Pruned {
  readonly events?: number;
  /** Bytes of bodies and headers. */
  readonly bytes?: number;
  readonly quarantine?: number;
  readonly deliveries?: number;
  /** Dead letters among the deliveries. */
  readonly discarded?: number;
}

/** One row for all processes: whoever prunes holds the lock on content. */
export async function countPruned(
  session: Session,
  { events = 0, bytes = 0, quarantine = 0, deliveries = 0, discarded = 0 }: Pruned,
): Promise<void> {
  if (events + quarantine + deliveries === 0) return;
  await session.run(sql`
    update retention set pruned_events = pruned_events + ${events}, pruned_bytes = pruned_bytes + ${bytes},
      pruned_quarantine = pruned_quarantine + ${quarantine},
      pruned_deliveries = pruned_deliveries + ${deliveries},
      discarded_deliveries = discarded_deliveries + ${discarded}`);
}
