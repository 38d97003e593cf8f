import type { LaneReads, LaneRecord } from '../store/lane-reads.ts';
import type { SourceSubject } from '../store/queries.ts';
import type { DispatchStatus } from '../view/dispatch-view.ts';
import { errorText, type Unmasking } from '../view/unmasking.ts';

/**
 * What a lane does, or why it waits.
 *
 * - `running`: its delivery runs, or is about to.
 * - `unclaimed`: this process has no such handler, so nothing claims it.
 * - `breaker`: the breaker of the handler is open.
 * - `retry`: the last attempt failed, and the next is due later.
 * - `later`: due later, for another reason.
 * - `due`: nothing but the limit of concurrency keeps it.
 */
export type LaneState = 'running' | 'unclaimed' | 'breaker' | 'retry' | 'later' | 'due';

export interface SubjectLane extends LaneRecord {
  readonly state: LaneState;
  /** When it may go on, in milliseconds since 1970; null when that is now, or unknown. */
  readonly goesOnAt: number | null;
  /** What it waits for, in the words of the handler's last error; null without one. */
  readonly reason: string | null;
}

/** Reads the lanes of a subject with unfinished deliveries, and why each waits. */
export async function subjectLanes(
  store: LaneReads,
  subject: SourceSubject,
  context: Unmasking & {
    /** The handler names that this process claims. */
    readonly handlers: readonly string[];
    readonly paused: DispatchStatus['paused'];
    /** Milliseconds since 1970. */
    readonly now: number;
  },
): Promise<readonly SubjectLane[]> {
  const lanes = await store.lanesOf(subject);
  return lanes.map((lane) => {
    const { running, attempts, dueAt, lastError } = lane.delivery;
    const reason = errorText(lastError, context);
    if (running) return { ...lane, state: 'running', goesOnAt: null, reason };
    if (!context.handlers.includes(lane.handler))
      return { ...lane, state: 'unclaimed', goesOnAt: null, reason };
    const breaker = context.paused.find(({ handler }) => handler === lane.handler);
    if (breaker !== undefined)
      return {
        ...lane,
        state: 'breaker',
        goesOnAt: breaker.untilMs,
        reason: errorText(breaker.reason, context),
      };
    if (dueAt === null || dueAt <= context.now) return { ...lane, state: 'due', goesOnAt: null, reason };
    return { ...lane, state: attempts > 0 ? 'retry' : 'later', goesOnAt: dueAt, reason };
  });
}
