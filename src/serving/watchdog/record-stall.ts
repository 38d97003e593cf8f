/** Records in the store that the event loop did not turn, and which deliveries ran. */
import type { RunningAttempt } from '../../dispatch/attempt/running-attempts.ts';
import { spanOf } from '../../store/activity.ts';
import type { LaneQueue } from '../../store/lane-queue.ts';
import type { Monitoring } from '../../store/monitoring.ts';
import type { Queries } from '../../store/queries.ts';

/** A delivery that has ended so many processes does not run again. */
const MAX_STALLS = 2;

/** Milliseconds between the next attempts of deliveries of which one has blocked the thread: it is then alone. */
const APART_MS = 1_000;

const REASON = 'the event loop did not turn while this attempt ran';

interface Stall {
  readonly now: number;
  readonly timeoutMs: number;
  /** The handler's line that ran; null when it is not known. */
  readonly where: string | null;
}

/**
 * Makes the deliveries pending again, after as long as the timeout: another process must not stall before this one has
 * started again. A delivery that ran alone, and was one of those when an earlier process stalled, becomes a dead letter;
 * so does the one that ran in more of at least three stalls than any other, because others run beside it all the time.
 */
export async function recordStall(
  store: Pick<LaneQueue, 'complete' | 'reschedule'> &
    Pick<Queries, 'attempts'> &
    Pick<Monitoring, 'recordMonitoring'>,
  running: readonly RunningAttempt[],
  { now, timeoutMs, where }: Stall,
): Promise<void> {
  const handlers = [...new Set(running.map(({ key }) => key.handler))];
  const handler = handlers.length === 0 ? null : handlers.join(', ');
  const outage = { cause: 'stalled', beganAt: now - timeoutMs, endedAt: now, handler, refused: 0 } as const;
  await store.recordMonitoring({ record: 'outage', ...outage });
  const at = where === null ? '' : ` (${where})`;
  const reason = `the process was ended: ${REASON}${at}, for ${String(timeoutMs)} ms`;
  const counts = await Promise.all(running.map(async ({ key }) => 1 + (await earlierStalls(store, key.id))));
  const most = Math.max(...counts);
  const isAlone = counts.filter((stalls) => stalls === most).length === 1;
  const limit = running.length === 1 ? MAX_STALLS : MAX_STALLS + 1;
  const isDead = counts.map((stalls) => stalls >= limit && stalls === most && isAlone);
  for (const [index, { key, hold }] of running.entries()) {
    const stalls = counts[index] ?? 1;
    if (isDead[index] === true) {
      const last = `not run again, because it has ended ${String(stalls)} processes: ${REASON}${at}; \`portaria handlers pause ${key.handler} --reason "…"\` keeps others from it until the handler is mended`;
      await store.complete(key, { status: 'dead', reason: last, hold }, { now, next: false });
    } else {
      const dueAt = now + timeoutMs + index * APART_MS;
      await store.reschedule(key, { now, dueAt, reason, outcome: 'interrupted' });
    }
  }
  // The process that would have counted them is gone.
  await store.recordMonitoring({
    ...{ record: 'activity', at: spanOf(now) },
    ...{ received: 0, backlog: 0, oldestMs: 0 },
    handlers: running.map(({ key: { handler } }, index) => ({
      ...{ handler, succeeded: 0, failed: 1, dead: Number(isDead[index]) },
      ...{ skipped: 0, breakerMs: 0, durations: [] },
    })),
  });
}

/** A retry by hand begins again: what came before the last dead letter does not count. */
async function earlierStalls(store: Pick<Queries, 'attempts'>, id: string): Promise<number> {
  const attempts = await store.attempts([id]);
  const lastDead = attempts.findLastIndex(({ outcome }) => outcome === 'dead');
  return attempts
    .slice(lastDead + 1)
    .filter(({ outcome, error }) => outcome === 'interrupted' && error?.includes(REASON) === true).length;
}
