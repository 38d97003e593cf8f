/** The types of a replay's run: dependencies, pacing and outcome. */
import type { Registry } from '../handle/load/registry.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { ReplayProgress, Replays } from '../store/replays.ts';
import type { ReplayWindow } from './replay-window.ts';

/** Runs the deliveries that a replay enqueues. */
export interface ReplayRunner {
  /** Called when something was enqueued. */
  wake(): void;
  /**
   * Resolves when no delivery of the replay can run any more. Undefined when
   * another process runs them, because this process cannot know.
   */
  idle?(): Promise<void>;
}

export interface ReplayDeps {
  readonly store: Pick<Replays, 'replayEvents' | 'enqueueReplay' | 'finishReplay' | 'replayProgress'>;
  readonly registry: Registry;
  readonly runner: ReplayRunner;
  readonly clock: Clock;
}

export interface ReplayPacing {
  /** Limits unfinished deliveries. One event's deliveries may exceed a small window. */
  readonly window: ReplayWindow;
  /** Calls that may start in a second; no limit by default. */
  readonly rate?: number;
  /** Stops enqueuing. Deliveries that are enqueued stay. */
  readonly signal: AbortSignal;
  /** Called at each poll. */
  readonly onProgress: (progress: ReplayProgress) => void;
}

export interface ReplayOutcome {
  /**
   * - `done`: every delivery has ended.
   * - `interrupted`: the signal stopped it; it can be resumed.
   * - `blocked`: the rest waits in lanes behind deliveries that are not of the
   *   replay; it continues when those have run.
   */
  readonly ended: 'done' | 'interrupted' | 'blocked';
  readonly progress: ReplayProgress;
}
