/** Prunes by retention while a process serves. */
import { failureReason } from '../kernel/failure-reason.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kernel/time/durations.ts';
import { pause } from '../kernel/time/pause.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { prune, type KeepFor, type PruneBefore, type PruneDeps } from '../operate/change/prune.ts';

/** Milliseconds from the start to the first run: a backlog of the start goes first. */
const FIRST_RUN_MS = MINUTE_MS;
/** Milliseconds between two steps, so that pruning takes a small part of the writer's time. */
const BETWEEN_STEPS_MS = 50;
/** The most and least milliseconds between two runs. */
const MAX_INTERVAL_MS = 6 * HOUR_MS;
const MIN_INTERVAL_MS = MINUTE_MS;
/** A run follows after this part of the shortest period. */
const RUNS_PER_PERIOD = 24;
/** From this period on, a store that keeps events by days prunes whole days: they are kept for up to a day longer. */
const WHOLE_DAYS_FROM_MS = 7 * DAY_MS;

export interface RetentionOptions extends PruneDeps {
  readonly clock: Clock;
  readonly keep: KeepFor;
  readonly telemetry: Telemetry;
  /** Whether this process does periodic work; others that share the store wait. */
  readonly leads: () => boolean;
}

/**
 * Prunes what is older than its period: a minute after the start, then 24 times in
 * the shortest period, at least every 6 hours. A failed run is reported, and
 * repeated at the next time.
 *
 * @returns stops it, after the step in progress
 */
export function keepWithinRetention(options: RetentionOptions): () => Promise<void> {
  const { clock, keep, store, telemetry, leads } = options;
  const stopping = new AbortController();
  const interval = intervalOf(keep);
  let cancel: Cancel = () => undefined;
  let running: Promise<void> = Promise.resolve();

  /** Records the time for `stats` and `doctor`; they only show it. */
  async function record(nextRunAt: number | null, lastRunAt?: number): Promise<void> {
    const run = { nextRunAt, ...(lastRunAt !== undefined && { lastRunAt }) };
    await store.recordPruning(run).catch(() => undefined);
  }

  async function step(): Promise<boolean> {
    await pause(clock, BETWEEN_STEPS_MS, stopping.signal);
    return !stopping.signal.aborted;
  }

  async function run(): Promise<void> {
    if (!leads()) return;
    const startedAt = clock.monotonic();
    try {
      const count = await prune(options, cutoffs(options, clock.now()), { step });
      if (stopping.signal.aborted) return;
      telemetry.emit('retention.ran', { ...count, durationMs: clock.monotonic() - startedAt });
    } catch (error) {
      if (stopping.signal.aborted) return;
      telemetry.emit('retention.failed', { reason: failureReason(error) });
    }
  }

  function schedule(ms: number, every: number): void {
    cancel = clock.after(ms, () => {
      running = run()
        .then(() =>
          stopping.signal.aborted || !leads() ? undefined : record(clock.now() + every, clock.now()),
        )
        .then(() => {
          if (!stopping.signal.aborted) schedule(every, every);
        });
    });
  }

  if (interval === null) {
    // An earlier process may have recorded a next run.
    cancel = clock.after(FIRST_RUN_MS, () => {
      running = record(null);
    });
  } else {
    running = record(clock.now() + FIRST_RUN_MS);
    schedule(FIRST_RUN_MS, interval);
  }
  return async () => {
    stopping.abort();
    cancel();
    await running;
  };
}

/** Returns the milliseconds between two runs; null when everything is kept for ever. */
function intervalOf({ events, quarantine, deliveries, audit }: KeepFor): number | null {
  const periods = [events, quarantine, deliveries, audit].filter((period) => period !== null);
  if (periods.length === 0) return null;
  return Math.max(MIN_INTERVAL_MS, Math.min(MAX_INTERVAL_MS, ...periods.map((ms) => ms / RUNS_PER_PERIOD)));
}

function cutoffs({ keep, store }: Pick<RetentionOptions, 'keep' | 'store'>, now: number): PruneBefore {
  const before = (period: number | null) => (period === null ? null : now - period);
  const events = before(keep.events);
  const byDays = store.pruneDay !== undefined && (keep.events ?? 0) >= WHOLE_DAYS_FROM_MS;
  return {
    events: byDays && events !== null ? Math.floor(events / DAY_MS) * DAY_MS : events,
    quarantine: before(keep.quarantine),
    deliveries: before(keep.deliveries),
    audit: before(keep.audit),
  };
}
