/** Metrics of the store at a scrape: deliveries, quarantine, size, retention and pauses. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../kernel/time/clock.ts';
import { isByOperator } from '../store/pauses.ts';
import type { Queries, StoreTotals } from '../store/queries.ts';

/**
 * Registers metrics of the store, which are read from it at a scrape: every process of a store has the same. While
 * the store fails, the last numbers stay and `portaria_store_healthy` is 0.
 */
export function addStoreGauges(
  registry: Registry,
  { store, clock }: { readonly store: Pick<Queries, 'totals'>; readonly clock: Clock },
): void {
  const totals = recentRead(() => store.totals(), clock);

  /** Each gauge reads for itself: prom-client collects them concurrently, in any order. */
  function gauge<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    set: (gauge: Gauge<L>, now: StoreTotals) => void,
  ): void {
    registry.registerMetric(
      new Gauge({
        name: `portaria_${name}`,
        help,
        labelNames,
        registers: [],
        async collect() {
          const now = await totals();
          if (now !== null) set(this, now);
        },
      }),
    );
  }

  gauge(
    'open_deliveries',
    'Pending and running deliveries.',
    ['handler', 'status'],
    (open, { byHandler }) => {
      for (const { handler, pending, running } of byHandler) {
        open.set({ handler, status: 'pending' }, pending);
        open.set({ handler, status: 'running' }, running);
      }
    },
  );
  gauge('dead_letters', 'Deliveries out of attempts that wait for an operator.', ['handler'], (dead, now) => {
    for (const counts of now.byHandler) dead.set({ handler: counts.handler }, counts.dead);
  });
  gauge('quarantine_held', 'Quarantined deliveries that can be released.', [], (held, now) => {
    held.set(now.quarantined);
  });
  gauge('quarantine_bytes', 'Bytes of the quarantine that count against the quota.', [], (bytes, now) => {
    bytes.set(now.quarantineBytes);
  });
  gauge('quarantine_max_bytes', 'Quota of the quarantine in bytes.', [], (max, now) => {
    max.set(now.quarantineMaxBytes);
  });
  registry.registerMetric(
    new Counter({
      name: 'portaria_quarantine_dropped_total',
      help: 'Quarantined deliveries that the quota dropped since the store was created.',
      labelNames: ['sender'],
      registers: [],
      async collect() {
        const now = await totals();
        if (now === null) return;
        this.reset();
        this.inc({ sender: 'verified' }, now.quarantineDropped.verified);
        this.inc({ sender: 'unverified' }, now.quarantineDropped.unverified);
      },
    }),
  );
  gauge('store_bytes', 'Size of the store in bytes.', [], (size, now) => {
    size.set(now.bytes);
  });
  gauge('store_free_bytes', 'Bytes in the file that nothing uses.', [], (free, now) => {
    free.set(now.freeBytes);
  });
  gauge('oldest_body_age_seconds', 'Age of the oldest event that is not pruned.', [], (oldest, now) => {
    const { oldestBodyAt } = now.retention;
    oldest.set(oldestBodyAt === null ? 0 : Math.max(0, clock.now() - oldestBodyAt) / 1000);
  });
  gauge(
    'retention_last_run_timestamp_seconds',
    'When the last run of retention ended, in seconds since 1970; 0 before the first.',
    [],
    (last, { retention: { lastRunAt } }) => {
      last.set((lastRunAt ?? 0) / 1000);
    },
  );
  gauge(
    'paused',
    'Pauses by operators: 1 for a handler or a source, the number of lanes of a handler.',
    ['type', 'handler', 'source'],
    (paused, { pauses }) => {
      paused.reset();
      for (const { handler, source, subject } of pauses.filter(isByOperator)) {
        const type = subject === null ? (handler === null ? 'source' : 'handler') : 'lane';
        paused.inc({ type, handler: handler ?? '', source: source ?? '' });
      }
    },
  );
  registry.registerMetric(
    new Counter({
      name: 'portaria_pruned_total',
      help: 'Rows whose content was pruned since the store was created.',
      labelNames: ['what'],
      registers: [],
      async collect() {
        const now = await totals();
        if (now === null) return;
        this.reset();
        for (const what of ['events', 'quarantine', 'deliveries'] as const)
          this.inc({ what }, now.retention[what]);
      },
    }),
  );
  gauge(
    'oldest_pending_age_seconds',
    'Age of the oldest event with an unfinished delivery; 0 when there is none.',
    [],
    (oldest, { oldestPendingAt }) => {
      oldest.set(oldestPendingAt === null ? 0 : Math.max(0, clock.now() - oldestPendingAt) / 1000);
    },
  );
}

/** Milliseconds for which scrapes share one read of the store. */
const READ_EVERY_MS = 10_000;

/** Returns the last result while it is recent, otherwise a new one; null before the first success. */
export function recentRead<T>(read: () => Promise<T>, clock: Clock): () => Promise<T | null> {
  let last: T | null = null;
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  async function readAgain(): Promise<void> {
    try {
      last = await read();
      readAt = clock.monotonic();
    } catch {
      // The health gauge shows the failure; old numbers are better than none.
    } finally {
      reading = null;
    }
  }

  return async () => {
    if (clock.monotonic() - readAt >= READ_EVERY_MS) await (reading ??= readAgain());
    return last;
  };
}
