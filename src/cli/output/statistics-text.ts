/** Writes the statistics of a store for people. */
import type { ShownStatistics, StatisticsView } from '../../view/statistics-view.ts';
import { countOf } from '../../kernel/text/count.ts';
import { fieldLines, readableBytes, readableTime } from './format.ts';
import { createTable } from './table.ts';

type Counts = StatisticsView['deliveries'];

/** Formats the statistics of a store for people: totals, then tables of processes, kinds and handlers. */
export function statisticsText(statistics: ShownStatistics, width: number): string {
  const { by_verdict: verdicts, by_handler: handlers, other_kinds: others } = statistics;
  const kinds =
    others === null
      ? statistics.by_kind
      : [...statistics.by_kind, { kind: '(other unknown kinds)', ...others }];
  const parts = [
    fieldLines({
      events: statistics.events,
      repeats: statistics.repeats,
      subjects: statistics.subjects,
      verdicts: `${String(verdicts.new)} new, ${String(verdicts.stale)} stale, ${String(verdicts.ambiguous)} ambiguous`,
      unrecognized: statistics.unrecognized,
      'in quarantine': quarantineText(statistics),
      deliveries: countsText(statistics.deliveries),
      'open breakers': statistics.open_breakers.map(({ handler }) => handler).join(', ') || 'none',
      paused: statistics.paused.map(({ scope }) => scope).join('; ') || 'nothing',
      'oldest pending': readableTime(statistics.oldest_pending_at) || 'none',
      anomalies: statistics.anomalies,
      'store id': statistics.store_id,
      size: sizeText(statistics),
      'oldest body': readableTime(statistics.retention.oldest_body_at) || 'none',
      pruned: prunedText(statistics.retention),
    }),
  ];
  if (statistics.processes.length > 0) {
    const table = createTable<ShownStatistics['processes'][number]>(
      [
        { heading: 'process', shrinks: true, value: ({ host, pid }) => `${String(pid)} on ${host}` },
        { heading: 'version', value: (row) => row.version ?? '' },
        { heading: 'since', value: (row) => readableTime(row.started_at) },
        { heading: 'last heartbeat', value: (row) => readableTime(row.seen_at) },
        { heading: 'leads', value: (row) => (row.leads ? 'yes' : 'no') },
        { heading: 'in flight', align: 'right', value: (row) => row.in_flight },
      ],
      width,
    );
    parts.push(table.page(statistics.processes));
  }
  if (kinds.length > 0) {
    const table = createTable<StatisticsView['by_kind'][number]>(
      [
        { heading: 'kind', shrinks: true, value: (row) => row.kind },
        { heading: 'events', align: 'right', value: (row) => row.events },
        { heading: 'last received', value: (row) => readableTime(row.last_received_at) },
      ],
      width,
    );
    parts.push(table.page(kinds));
  }
  const sources = new Set(statistics.received.map(({ source }) => source));
  if (sources.size > 1) {
    const table = createTable<StatisticsView['received'][number]>(
      [
        { heading: 'source', value: (row) => row.source },
        { heading: 'kind', shrinks: true, value: (row) => row.kind || '(other unknown kinds)' },
        { heading: 'events', align: 'right', value: (row) => row.events },
        { heading: 'last received', value: (row) => readableTime(row.last_received_at) },
      ],
      width,
    );
    parts.push(table.page(statistics.received));
  }
  if (statistics.open_breakers.length > 0) {
    const table = createTable<StatisticsView['open_breakers'][number]>(
      [
        { heading: 'open breaker', value: (row) => row.handler },
        { heading: 'since', value: (row) => readableTime(row.since) },
        { heading: 'next probe', value: (row) => readableTime(row.probe_at) },
        { heading: 'reason', shrinks: true, value: (row) => row.reason },
      ],
      width,
    );
    parts.push(table.page(statistics.open_breakers));
  }
  const { waiting, closed } = statistics.rates;
  if (waiting.length > 0) {
    const table = createTable<(typeof waiting)[number]>(
      [
        { heading: 'waits for its rate', value: (row) => row.handler },
        { heading: 'lanes', align: 'right', value: (row) => row.lanes },
        { heading: 'until', value: (row) => readableTime(row.until) },
      ],
      width,
    );
    parts.push(table.page(waiting));
  }
  if (closed.length > 0) {
    const table = createTable<(typeof closed)[number]>(
      [
        { heading: 'closed rate', value: (row) => row.bucket },
        { heading: 'until', value: (row) => readableTime(row.until) },
      ],
      width,
    );
    parts.push(table.page(closed));
  }
  if (statistics.observed.length > 0) {
    const table = createTable<StatisticsView['observed'][number]>(
      [
        { heading: 'observed source', value: (row) => row.source },
        { heading: 'would pass', value: ({ scheme }) => (scheme === 'none' ? 'nothing' : scheme) },
        { heading: 'webhooks', align: 'right', value: (row) => row.webhooks },
      ],
      width,
    );
    parts.push(table.page(statistics.observed));
  }
  if (statistics.outages.length > 0) {
    const table = createTable<StatisticsView['outages'][number]>(
      [
        {
          heading: 'outage',
          shrinks: true,
          value: ({ cause, handler }) =>
            cause === 'store'
              ? 'the store could not be written'
              : `blocked event loop: ${handler ?? 'no handler'}`,
        },
        { heading: 'from', value: (row) => readableTime(row.began_at) },
        { heading: 'to', value: (row) => readableTime(row.ended_at) },
        { heading: 'got 503', align: 'right', value: (row) => row.refused ?? '–' },
      ],
      width,
    );
    parts.push(table.page(statistics.outages));
  }
  if (handlers.length > 0) {
    const table = createTable<StatisticsView['by_handler'][number]>(
      [
        { heading: 'handler', shrinks: true, value: (row) => row.handler },
        ...(['pending', 'running', 'succeeded', 'dead', 'skipped'] as const).map((status) => ({
          heading: status,
          align: 'right' as const,
          value: (row: Counts) => row[status],
        })),
      ],
      width,
    );
    parts.push(table.page(handlers));
  }
  return parts.join('\n\n');
}

/** Formats the size of the store and the part of it that is free. */
export function sizeText({
  bytes,
  free_bytes: free,
  gives_back_space: inSteps,
}: Pick<StatisticsView, 'bytes' | 'free_bytes' | 'gives_back_space'>): string {
  const size = readableBytes(bytes);
  if (free === 0) return size;
  return `${size}, ${readableBytes(free)} of it free${inSteps ? '' : ' (store compact gives it back)'}`;
}

/** Formats what was pruned, and when `serve` prunes. */
export function prunedText(retention: StatisticsView['retention']): string {
  const { pruned_events: events, pruned_quarantine: quarantine, pruned_deliveries: deliveries } = retention;
  const counts =
    events + quarantine + deliveries === 0
      ? 'nothing'
      : `${countOf(events, 'event')} (${readableBytes(retention.pruned_bytes)}), ` +
        `${String(quarantine)} in quarantine, ${String(deliveries)} in deliveries`;
  const last = retention.last_run_at === null ? '' : `; last run ${readableTime(retention.last_run_at)}`;
  const next =
    retention.next_run_at === null
      ? '; serve prunes nothing by itself (PORTARIA_KEEP_EVENTS)'
      : `; next run ${readableTime(retention.next_run_at)}`;
  return `${counts}${last}${next}`;
}

function quarantineText(statistics: StatisticsView): string {
  const size = `${readableBytes(statistics.quarantine_bytes)} of ${readableBytes(statistics.quarantine_max_bytes)}`;
  return `${String(statistics.quarantine_held)} (${size}); ${droppedText(statistics.quarantine_dropped)}`;
}

/** Formats the number of quarantine entries that the quota has dropped. */
export function droppedText({ verified, unverified }: StatisticsView['quarantine_dropped']): string {
  if (verified + unverified === 0) return 'none dropped';
  return `${String(verified)} from verified and ${String(unverified)} from unverified senders dropped by the quota`;
}

/** Formats the number of deliveries by status: `1 pending, 0 running, ...`. */
export function countsText(counts: Readonly<Counts>): string {
  return Object.entries(counts)
    .map(([status, count]) => `${String(count)} ${status}`)
    .join(', ');
}
