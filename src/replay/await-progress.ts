/** Waits for the progress of a replay. */
import { pause } from '../kernel/time/pause.ts';
import type { ReplayProgress } from '../store/replays.ts';
import type { ReplayOutcome, ReplayPacing, ReplayDeps } from './replay-run.ts';

/** Milliseconds between two reads of the progress. */
const POLL_MS = 25;

/** Polls a replay's progress until `enough` accepts it, the signal aborts, or the runner is idle. */
export async function awaitProgress(
  { store, runner, clock }: ReplayDeps,
  id: string,
  { signal, onProgress }: ReplayPacing,
  enough: (progress: ReplayProgress) => boolean,
): Promise<ReplayOutcome> {
  const idle = new AbortController();
  void runner.idle?.().then(() => {
    idle.abort();
  });
  const woken = AbortSignal.any([signal, idle.signal]);
  for (;;) {
    // Read before the progress: a delivery that ends in between must not make a finished replay look blocked.
    const wasIdle = idle.signal.aborted;
    const progress = await store.replayProgress(id);
    onProgress(progress);
    if (enough(progress)) return { ended: 'done', progress };
    if (signal.aborted) return { ended: 'interrupted', progress };
    if (wasIdle) return { ended: 'blocked', progress };
    await pause(clock, POLL_MS, woken);
  }
}
