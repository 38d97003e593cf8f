import { z } from 'zod';
import type { DeliveryStatus, StoreStatistics } from '../store/queries.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';

const count = z.int().min(0);

const deliveryCounts = {
  pending: count.describe('Waiting.'),
  running: count.describe('In hand.'),
  succeeded: count.describe('Done.'),
  dead: count.describe('Out of tries.'),
  skipped: count.describe('Not wanted.'),
};

export const statisticsSchema = z
  .object({
    storeId: z.string().describe('The first part of every event id of this store.'),
    events: count.describe('Events in the log.'),
    repeats: count.describe('Repeats counted on them.'),
    by_verdict: z
      .object({
        new: count.describe('Newer than what was known, or first of their subject.'),
        stale: count.describe('Older than what was known.'),
        ambiguous: count.describe('A return to an earlier content, or a late redelivery.'),
      })
      .describe('Events by verdict.'),
    unrecognized: count.describe('Events of kinds that the contract does not know.'),
    subjects: count.describe('Different subjects.'),
    quarantine_held: count.describe('Quarantined deliveries that wait for a release.'),
    quarantine_bytes: count.describe('What they count for against the quota, in bytes.'),
    quarantine_max_bytes: count.describe('The quota of the quarantine, in bytes.'),
    quarantine_dropped: z
      .object({
        verified: count.describe('Entries from verified senders.'),
        unverified: count.describe('Entries from sources that take anybody’s webhooks.'),
      })
      .describe('Quarantined deliveries that the quota dropped, ever.'),
    deliveries: z.object(deliveryCounts).describe('Deliveries by status.'),
    by_kind: z
      .array(
        z.object({
          kind: z.string().describe('The kind.'),
          events: count.describe('Events of the kind.'),
          last_received_at: z.iso.datetime().describe('When the last one arrived.'),
        }),
      )
      .describe('Events by kind: those of the contract, and 1,000 others at most.'),
    other_kinds: z
      .object({
        events: count.describe('Their events.'),
        last_received_at: z.iso.datetime().describe('When the last one arrived.'),
      })
      .nullable()
      .describe('Kinds outside the contract beyond those in `by_kind`, counted together.'),
    by_handler: z
      .array(z.object({ handler: z.string().describe('The delivery’s handler name.'), ...deliveryCounts }))
      .describe('Deliveries by handler and status.'),
    anomalies: count.describe('Impossible moves found by machines, at most 1,000 of a subject.'),
    oldest_pending_at: z.iso
      .datetime()
      .nullable()
      .describe('When the oldest event arrived that a handler has yet to finish.'),
    bytes: count.describe('Size of the store, in bytes.'),
  })
  .meta({ id: 'Statistics', description: 'What the store holds, in numbers.' });

export type StatisticsView = z.infer<typeof statisticsSchema>;

export function statisticsView(statistics: StoreStatistics): StatisticsView {
  const { new: fresh, stale, ambiguous } = statistics.byVerdict;
  const { otherKinds } = statistics;
  return {
    storeId: statistics.storeId,
    events: statistics.events,
    repeats: statistics.repeats,
    by_verdict: { new: fresh, stale, ambiguous },
    unrecognized: statistics.unrecognized,
    subjects: statistics.subjects,
    quarantine_held: statistics.quarantineHeld,
    quarantine_bytes: statistics.quarantineBytes,
    quarantine_max_bytes: statistics.quarantineMaxBytes,
    quarantine_dropped: { ...statistics.quarantineDropped },
    deliveries: countsView(statistics.deliveries),
    by_kind: statistics.byKind.map(({ kind, events, lastReceivedAt }) => ({
      kind,
      events,
      last_received_at: instantText(lastReceivedAt),
    })),
    other_kinds:
      otherKinds === null
        ? null
        : { events: otherKinds.events, last_received_at: instantText(otherKinds.lastReceivedAt) },
    by_handler: statistics.byHandler.map((row) => ({ handler: row.handler, ...countsView(row) })),
    anomalies: statistics.anomalies,
    oldest_pending_at: instantTextOrNull(statistics.oldestPendingAt),
    bytes: statistics.bytes,
  };
}

function countsView(counts: Readonly<Record<DeliveryStatus, number>>): Record<DeliveryStatus, number> {
  const { pending, running, succeeded, dead, skipped } = counts;
  return { pending, running, succeeded, dead, skipped };
}
