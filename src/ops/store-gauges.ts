import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../kernel/time/clock.ts';
import type { Queries, StoreTotals } from '../store/queries.ts';
import type { Store } from '../store/store.ts';

/** Scrapes within this time share one count. */
const COUNT_EVERY_MS = 10_000;

/**
 * Registers what is read from the store when metrics are asked for. While the
 * store does not answer, the last numbers stay and `portaria_store_healthy` is 0.
 */
export function addStoreGauges(
  registry: Registry,
  { store, clock }: { readonly store: Pick<Queries & Store, 'totals' | 'healthy'>; readonly clock: Clock },
): void {
  const totals = recent(() => store.totals(), clock);

  /** Each reads for itself: prom-client collects them side by side, in no order. */
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

  registry.registerMetric(
    new Gauge({
      name: 'portaria_store_healthy',
      help: 'Whether writes are believed to work.',
      registers: [],
      collect() {
        this.set(store.healthy() ? 1 : 0);
      },
    }),
  );
  gauge('open_deliveries', 'Deliveries that wait or run.', ['handler', 'status'], (open, { byHandler }) => {
    for (const { handler, pending, running } of byHandler) {
      open.set({ handler, status: 'pending' }, pending);
      open.set({ handler, status: 'running' }, running);
    }
  });
  gauge('dead_letters', 'Deliveries out of tries that wait for an operator.', ['handler'], (dead, now) => {
    for (const counts of now.byHandler) dead.set({ handler: counts.handler }, counts.dead);
  });
  gauge('quarantine_held', 'Quarantined deliveries that wait for a release.', [], (held, now) => {
    held.set(now.quarantineHeld);
  });
  gauge('quarantine_bytes', 'What they count for against the quota.', [], (bytes, now) => {
    bytes.set(now.quarantineBytes);
  });
  gauge('quarantine_max_bytes', 'The quota of the quarantine.', [], (most, now) => {
    most.set(now.quarantineMaxBytes);
  });
  registry.registerMetric(
    new Counter({
      name: 'portaria_quarantine_dropped_total',
      help: 'Quarantined deliveries that the quota dropped, since the store was made.',
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
  gauge('store_bytes', 'Size of the store.', [], (size, now) => {
    size.set(now.bytes);
  });
  gauge(
    'oldest_pending_age_seconds',
    'Age of the oldest event that a handler has yet to finish; 0 when there is none.',
    [],
    (oldest, { oldestPendingAt }) => {
      oldest.set(oldestPendingAt === null ? 0 : Math.max(0, clock.now() - oldestPendingAt) / 1000);
    },
  );
}

/** The last count while it is recent, else a new one. Null before the first that worked. */
function recent(read: () => Promise<StoreTotals>, clock: Clock): () => Promise<StoreTotals | null> {
  let last: StoreTotals | null = null;
  let countedAt = -Infinity;
  let counting: Promise<void> | null = null;

  async function count(): Promise<void> {
    try {
      last = await read();
      countedAt = clock.monotonic();
    } catch {
      // The store's health says so; numbers of a moment ago are better than none.
    } finally {
      counting = null;
    }
  }

  return async () => {
    if (clock.monotonic() - countedAt >= COUNT_EVERY_MS) await (counting ??= count());
    return last;
  };
}
