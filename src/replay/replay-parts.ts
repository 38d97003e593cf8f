import type { Registry } from '../handle/load/registry.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ReplayProgress, Replays } from '../store/replays.ts';
import type { ReplayWindow } from './replay-window.ts';

/** Who runs the deliveries that a replay enqueues. */
export interface ReplayRunner {
  /** Something was enqueued. */
  wake(): void;
  /**
   * Resolves when nothing of the replay can run any more. Left out when
   * another process runs them: nobody here can tell.
   */
  idle?(): Promise<void>;
}

export interface ReplayParts {
  readonly store: Pick<Replays, 'replayEvents' | 'enqueueReplay' | 'finishReplay' | 'replayProgress'>;
  readonly registry: Registry;
  readonly runner: ReplayRunner;
  readonly clock: Clock;
}

export interface ReplayPacing {
  /** Deliveries that may be unfinished at a time; one event's may exceed it when it is small. */
  readonly window: ReplayWindow;
  /** Calls that may begin in a second; no limit when left out. */
  readonly rate?: number;
  /** Stops it: nothing more is enqueued, what is enqueued stays. */
  readonly signal: AbortSignal;
  /** Called at every look. */
  readonly onProgress: (progress: ReplayProgress) => void;
}

export interface ReplayOutcome {
  /**
   * - `done`: every delivery is finished.
   * - `interrupted`: stopped by the signal; it can be resumed.
   * - `blocked`: the rest waits in lanes behind deliveries that are not the
   *   replay's; it goes on when those are run.
   */
  readonly ended: 'done' | 'interrupted' | 'blocked';
  readonly progress: ReplayProgress;
}
