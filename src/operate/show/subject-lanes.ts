/** What the lanes of a subject do. */
import type { LaneReads, LaneRecord } from '../../store/lane-queue.ts';
import type { SourceSubject } from '../../store/queries.ts';
import { createPauseLookup, type Pause } from '../../store/pauses.ts';
import type { DispatchStatus } from '../../view/dispatch-view.ts';
import { errorText, type Unmasking } from '../../view/payload/unmasking.ts';

/**
 * What a lane does, or why it waits.
 *
 * - `running`: its delivery runs, or is about to.
 * - `unclaimed`: this process has no such handler, so nothing claims it.
 * - `paused`: an operator has paused it: the handler, the source or the lane.
 * - `held`: it waits behind a failed delivery until an operator retries or discards that, or lets the lane go on.
 * - `breaker`: the breaker of the handler is open.
 * - `rate`: its handler is called at its rate, and its turn comes later.
 * - `retry`: the last attempt failed, and the next is due later.
 * - `later`: due later, for another reason.
 * - `due`: nothing but the limit of concurrency keeps it.
 */
export type LaneState =
  'running' | 'unclaimed' | 'paused' | 'held' | 'breaker' | 'rate' | 'retry' | 'later' | 'due';

export interface SubjectLane extends LaneRecord {
  readonly state: LaneState;
  /** When it may go on, in milliseconds since 1970; null when that is now, or unknown. */
  readonly goesOnAt: number | null;
  /** What it waits for, in the words of the handler's last error, or of who paused it; null without one. */
  readonly reason: string | null;
  /** The operator who paused it; null in other states. */
  readonly pausedBy: string | null;
  /** The failed delivery behind which it is held; null in other states. */
  readonly failed: string | null;
}

/** Reads the lanes of a subject with unfinished deliveries, and why each waits. */
export async function subjectLanes(
  store: LaneReads,
  subject: SourceSubject,
  context: LaneContext,
): Promise<readonly SubjectLane[]> {
  const lanes = await store.lanesOf(subject);
  return lanes.map(laneReader(subject, context));
}

/** What decides whether a lane waits. */
export interface LaneContext extends Unmasking {
  /** The handler names that this process claims. */
  readonly handlers: readonly string[];
  readonly openBreakers: DispatchStatus['openBreakers'];
  /** The pauses in force. */
  readonly pauses: readonly Pause[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Says what lanes of a subject do, or why they wait. */
export function laneReader(subject: SourceSubject, context: LaneContext): (lane: LaneRecord) => SubjectLane {
  const pauses = createPauseLookup(context.pauses);
  return (lane) => {
    const { running, attempts, dueAt, byRate, lastError } = lane.delivery;
    const read = {
      ...lane,
      goesOnAt: null,
      reason: errorText(lastError, context),
      pausedBy: null,
      failed: null,
    };
    if (running) return { ...read, state: 'running' };
    if (!context.handlers.includes(lane.handler)) return { ...read, state: 'unclaimed' };
    const pause = pauses.of({ handler: lane.handler, ...subject });
    if (pause !== undefined) {
      const { until, pausedBy, deadLetter: failed } = pause;
      if (failed !== null) return { ...read, state: 'held', reason: null, failed };
      const reason = errorText(pause.reason, context);
      return { ...read, state: 'paused', goesOnAt: until, reason, pausedBy };
    }
    const breaker = context.openBreakers.find(({ handler }) => handler === lane.handler);
    if (breaker !== undefined) {
      const reason = errorText(breaker.reason, context);
      return { ...read, state: 'breaker', goesOnAt: breaker.untilMs, reason };
    }
    if (dueAt === null || dueAt <= context.now) return { ...read, state: 'due' };
    const state = byRate ? 'rate' : attempts > 0 ? 'retry' : 'later';
    return { ...read, state, goesOnAt: dueAt };
  };
}
