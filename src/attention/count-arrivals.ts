/** Counts arrivals by hour, for the patterns of silence. */
import type { Clock } from '../kernel/time/clock.ts';
import { pause } from '../kernel/time/pause.ts';
import type { Monitoring } from '../store/monitoring.ts';

/** Events that one read counts: tens of milliseconds in the reading thread. */
const EVENTS_PER_READ = 20_000;

/** Milliseconds between two reads, so that other reads have their turn: an old store has millions of events. */
const BETWEEN_READS_MS = 20;

/** Counts the events that arrived since the last call, until none is left or the signal aborts. */
export async function countArrivals(
  store: Pick<Monitoring, 'uncountedArrivals' | 'recordMonitoring'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const run = await store.uncountedArrivals(EVENTS_PER_READ);
    if (run.arrivals.length > 0) await store.recordMonitoring({ record: 'arrivals', ...run });
    if (!run.more) return;
    await pause(clock, BETWEEN_READS_MS, signal);
  }
}
