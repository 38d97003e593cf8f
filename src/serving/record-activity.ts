/** Writes the counts of activity to the store. */
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import { MINUTE_MS } from '../kernel/time/durations.ts';
import { ACTIVITY_SPAN_MS, spanOf } from '../store/activity.ts';
import type { Monitoring } from '../store/monitoring.ts';
import type { Queries } from '../store/queries.ts';
import type { ActivityCounts } from './count-activity.ts';

export interface RecordActivityDeps {
  readonly store: Pick<Monitoring, 'recordMonitoring'> & Pick<Queries, 'totals'>;
  readonly counts: ActivityCounts;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'warn'>;
}

/** Writes what happened once a minute, and at the end of each span. A crash loses a minute of a chart. */
export interface ActivityRecorder {
  start(): void;
  /** Records what is left to record. */
  stop(): Promise<void>;
}

export function recordActivity({ store, counts, clock, log }: RecordActivityDeps): ActivityRecorder {
  let cancel: Cancel = () => undefined;
  let writing: Promise<void> = Promise.resolve();
  let isStarted = false;

  async function write(at: number): Promise<void> {
    try {
      const { byHandler, oldestPendingAt } = await store.totals();
      const { received, handlers } = counts.take();
      await store.recordMonitoring({
        record: 'activity',
        at,
        received,
        handlers,
        backlog: byHandler.reduce((sum, { pending, running }) => sum + pending + running, 0),
        oldestMs: oldestPendingAt === null ? 0 : Math.max(0, clock.now() - oldestPendingAt),
      });
    } catch (error) {
      // The store's health shows why; a chart misses a minute.
      log.warn({ reason: failureReason(error) }, 'the numbers of the last minute were not recorded');
    }
  }

  /** The span that the part just ending belongs to. */
  const spanBefore = (now: number): number => spanOf(now - 1);

  function schedule(): void {
    const leftOfSpan = ACTIVITY_SPAN_MS - (clock.now() % ACTIVITY_SPAN_MS);
    cancel = clock.after(Math.min(MINUTE_MS, leftOfSpan), () => {
      const at = spanBefore(clock.now());
      schedule();
      writing = writing.then(() => write(at));
    });
  }

  return {
    start() {
      isStarted = true;
      schedule();
    },
    async stop() {
      cancel();
      await writing;
      if (isStarted) await write(spanBefore(clock.now()));
    },
  };
}
