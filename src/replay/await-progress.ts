import { pause } from '../kernel/time/pause.ts';
import type { ReplayProgress } from '../store/replays.ts';
import type { ReplayOutcome, ReplayPacing, ReplayParts } from './replay-parts.ts';

/** How soon finished deliveries are noticed, in milliseconds, while others are left to run. */
const LOOK_EVERY_MS = 25;

/** Looks at a replay's deliveries until they are as wanted, or nothing can change them here. */
export async function awaitProgress(
  { store, runner, clock }: ReplayParts,
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
    // Read before the look: what finished between the two would make a finished replay look blocked.
    const wasIdle = idle.signal.aborted;
    const progress = await store.replayProgress(id);
    onProgress(progress);
    if (enough(progress)) return { ended: 'done', progress };
    if (signal.aborted) return { ended: 'interrupted', progress };
    if (wasIdle) return { ended: 'blocked', progress };
    await pause(clock, LOOK_EVERY_MS, woken);
  }
}
