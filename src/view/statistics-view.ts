/** Statistics, as views show them. */
import { z } from 'zod';
import type { OperatorProblem } from '../attention/problem.ts';
import type { MonitoringState } from '../store/monitoring.ts';
import type { DeliveryStatus, StoreStatistics } from '../store/queries.ts';
import { isByOperator } from '../store/pauses.ts';
import { ratesSchema, ratesView } from './dispatch-view.ts';
import { instantText, instantTextOrNull } from './instant-text.ts';
import { pauseSchema, pauseView } from './pause-view.ts';
import { errorText } from './payload/unmasking.ts';
import { processSchema } from './process-view.ts';

const count = z.int().min(0);

/** Counts of deliveries by status. */
const deliveryCounts = {
  pending: count.describe('Due, or waiting to be due.'),
  running: count.describe('In flight.'),
  succeeded: count.describe('Succeeded.'),
  dead: count.describe('Failed for good.'),
  skipped: count.describe('Discarded or superseded.'),
};

const countedSchema = z.object({
  store_id: z
    .string()
    .describe('The first part of the ids of new events. A restore, or `store renew-id`, draws a new one.'),
  events: count.describe('Events in the log.'),
  repeats: count.describe('Repeats counted on them.'),
  by_verdict: z
    .object({
      new: count.describe('Newer than the latest event of their subject, or the first of it.'),
      stale: count.describe('Older than the latest event of their subject.'),
      ambiguous: count.describe('A return to earlier content, or a late redelivery.'),
    })
    .describe('Events by verdict.'),
  unrecognized: count.describe('Events of kinds outside the contract.'),
  subjects: count.describe('Different subjects.'),
  quarantine_held: count.describe('Quarantined deliveries that can be released.'),
  quarantine_by_reason: z
    .array(
      z.object({
        reason: z.enum(['malformed', 'invalid', 'conflict']).describe('What is wrong with them.'),
        held: count.describe('So many are held.'),
      }),
    )
    .describe('Those by reason.'),
  quarantine_bytes: count.describe('Their bytes that count against the quota.'),
  quarantine_max_bytes: count.describe('The quota of the quarantine, in bytes.'),
  quarantine_dropped: z
    .object({
      verified: count.describe('Entries from verified senders.'),
      unverified: count.describe('Entries from unverified senders.'),
    })
    .describe('Quarantined deliveries that the quota dropped since the store was created.'),
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
  received: z
    .array(
      z.object({
        source: z.string().describe('The source.'),
        kind: z.string().describe('The kind; empty for other unknown kinds together.'),
        events: count.describe('Events of the kind from the source.'),
        last_received_at: z.iso.datetime().describe('When the last one arrived.'),
      }),
    )
    .describe('Events by source and kind. Repeats and quarantined bodies do not count.'),
  open_breakers: z
    .array(
      z.object({
        handler: z.string().describe('The delivery’s handler name.'),
        since: z.iso.datetime().describe('When the breaker opened.'),
        probe_at: z.iso.datetime().describe('When the next probe may start.'),
        reason: z.string().describe('The failure, with likely personal data replaced.'),
      }),
    )
    .describe('Handlers paused by their breakers.'),
  rates: ratesSchema,
  observed: z
    .array(
      z.object({
        source: z.string().describe('The observed source.'),
        scheme: z.string().describe('The scheme or known sender that they pass; `none` for nothing.'),
        webhooks: count.describe('So many came.'),
      }),
    )
    .describe('Webhooks of observed sources in the last nine days, by what they would have passed.'),
  outages: z
    .array(
      z.object({
        cause: z
          .enum(['store', 'stalled'])
          .describe('The store could not be written, or the event loop of a process did not turn.'),
        began_at: z.iso.datetime().describe('When it began.'),
        ended_at: z.iso.datetime().nullable().describe('When it ended; null while it goes on.'),
        handler: z
          .string()
          .nullable()
          .describe('What may have blocked the event loop: one handler, or several.'),
        refused: count
          .nullable()
          .describe(
            'Webhooks that got 503; null while it goes on, and of an event loop, where nobody counts them.',
          ),
      }),
    )
    .describe('The last 20 outages, the newest first. One that goes on is known to its process alone.'),
  anomalies: count.describe('Impossible transitions found by machines, at most 1,000 of a subject.'),
  oldest_pending_at: z.iso
    .datetime()
    .nullable()
    .describe('When the oldest event with an unfinished delivery arrived.'),
  bytes: count.describe('Size of the store, in bytes.'),
  free_bytes: count.describe('Bytes in the file that nothing uses.'),
  gives_back_space: z
    .boolean()
    .describe('Whether they are given back in steps; otherwise `portaria store compact` does it once.'),
  retention: z
    .object({
      pruned_events: count.describe('Events without body and headers.'),
      pruned_bytes: count.describe('Bytes of these bodies and headers.'),
      pruned_quarantine: count.describe('Quarantine entries that were removed.'),
      pruned_deliveries: count.describe('Deliveries without error and change.'),
      discarded_deliveries: count.describe('Dead letters among them.'),
      oldest_body_at: z.iso
        .datetime()
        .nullable()
        .describe('When the oldest event that is not pruned arrived.'),
      last_run_at: z.iso.datetime().nullable().describe('When `serve` last pruned.'),
      next_run_at: z.iso
        .datetime()
        .nullable()
        .describe('When `serve` prunes next; null when it prunes nothing by itself.'),
    })
    .describe('What was pruned since the store was created, and when.'),
  paused: z
    .array(pauseSchema)
    .describe(
      'What operators have paused. `/api/pauses` has the lanes that wait behind failed deliveries, too.',
    ),
});

export type StatisticsView = z.infer<typeof countedSchema>;

export const statisticsSchema = countedSchema
  .extend({
    processes: z.array(processSchema).describe('Processes that run deliveries, the one that leads first.'),
  })
  .meta({ id: 'Statistics', description: 'Statistics of the store.' });

/** The statistics as `portaria stats` and the operators' API show them. */
export type ShownStatistics = z.infer<typeof statisticsSchema>;

/** @param problems what the process has found; a command knows of none that goes on */
export function statisticsView(
  statistics: StoreStatistics,
  {
    received,
    openBreakers,
    observed,
    outages,
    rates,
  }: Pick<MonitoringState, 'received' | 'openBreakers' | 'observed' | 'outages' | 'rates'>,
  problems: readonly OperatorProblem[] = [],
): StatisticsView {
  const { new: fresh, stale, ambiguous } = statistics.byVerdict;
  const { otherKinds } = statistics;
  const goingOn = problems.flatMap(({ problem, since: beganAt }) =>
    problem === 'store-unavailable' && beganAt !== null
      ? { cause: 'store' as const, beganAt, endedAt: null, handler: null, refused: null }
      : [],
  );
  return {
    store_id: statistics.storeId,
    events: statistics.events,
    repeats: statistics.repeats,
    by_verdict: { new: fresh, stale, ambiguous },
    unrecognized: statistics.unrecognized,
    subjects: statistics.subjects,
    quarantine_held: statistics.quarantined,
    quarantine_by_reason: statistics.quarantineByReason.map((row) => ({ ...row })),
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
    received: received.map(({ source, kind, events, lastReceivedAt }) => ({
      source,
      kind,
      events,
      last_received_at: instantText(lastReceivedAt),
    })),
    open_breakers: openBreakers.map(({ handler, since, until, reason }) => ({
      handler,
      since: instantText(since),
      probe_at: instantText(until),
      reason: errorText(reason, { unmask: false }),
    })),
    rates: ratesView(rates),
    observed: observed.map((row) => ({ ...row })),
    outages: [...goingOn, ...outages].map(({ cause, beganAt, endedAt, handler, refused }) => ({
      cause,
      began_at: instantText(beganAt),
      ended_at: instantTextOrNull(endedAt),
      handler,
      refused: cause === 'stalled' ? null : refused,
    })),
    anomalies: statistics.anomalies,
    oldest_pending_at: instantTextOrNull(statistics.oldestPendingAt),
    bytes: statistics.bytes,
    free_bytes: statistics.freeBytes,
    gives_back_space: statistics.givesBackSpace,
    retention: retentionView(statistics.retention),
    paused: statistics.pauses.filter(isByOperator).map(pauseView),
  };
}

function retentionView(retention: StoreStatistics['retention']): StatisticsView['retention'] {
  return {
    pruned_events: retention.events,
    pruned_bytes: retention.bytes,
    pruned_quarantine: retention.quarantine,
    pruned_deliveries: retention.deliveries,
    discarded_deliveries: retention.discarded,
    oldest_body_at: instantTextOrNull(retention.oldestBodyAt),
    last_run_at: instantTextOrNull(retention.lastRunAt),
    next_run_at: instantTextOrNull(retention.nextRunAt),
  };
}

function countsView(counts: Readonly<Record<DeliveryStatus, number>>): Record<DeliveryStatus, number> {
  const { pending, running, succeeded, dead, skipped } = counts;
  return { pending, running, succeeded, dead, skipped };
}
