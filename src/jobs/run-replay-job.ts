/** Runs the job of a replay. */
import { pause } from '../kernel/time/pause.ts';
import { adaptiveWindow } from '../replay/replay-window.ts';
import { runReplay } from '../replay/run-replay.ts';
import type { JobRecord } from '../store/jobs.ts';
import type { ReplayProgress } from '../store/replays.ts';
import type { RunDeps } from './job-deps.ts';
import { judge } from './next-step.ts';

/** Unfinished deliveries at first. The window grows while they end quickly. */
const WINDOW = 100;
/** Results after which the share of failures is judged: a replay has no stages that begin small. */
const JUDGED_AFTER = 20;
/** Milliseconds between polls for a cancellation of the job. */
const POLL_MS = 500;

/** Runs the replay of a job, from where it was, until it ends, is cancelled, or fails too often. */
export async function runReplayJob(
  deps: RunDeps,
  job: JobRecord,
  replayId: string,
  signal: AbortSignal,
): Promise<void> {
  const { store, registry, clock } = deps;
  const change = (to: 'finished' | 'stopped', message: string | null) =>
    store.changeJob(job.id, { from: ['running'], to, message, now: clock.now() });
  const replay = await store.replay(replayId);
  if (replay === null) {
    await change('stopped', `there is no replay ${replayId}`);
    return;
  }
  const missing = replay.handlers.filter((name) => registry.runnable(name) === undefined);
  if (missing.length > 0) {
    await change('stopped', `this process has no handler ${missing.join(', ')}`);
    return;
  }
  const ending = new AbortController();
  const stopped = AbortSignal.any([signal, ending.signal]);
  const judged: { message: string | null } = { message: null };
  const before = await store.replayProgress(replayId);

  const watch = watchState(deps, job.id, ending, stopped);
  const { ended } = await runReplay({ store, registry, clock, runner: { wake: deps.wake } }, replay, {
    window: adaptiveWindow(WINDOW, clock),
    ...(job.rate !== null && { rate: job.rate }),
    signal: stopped,
    onProgress(progress) {
      judged.message ??= judge({
        failed: progress.dead - before.dead,
        ended: endedOf(progress) - endedOf(before),
        ...{ stopAt: job.stopAt, after: JUDGED_AFTER },
      });
      if (judged.message !== null) ending.abort();
    },
  });
  ending.abort();
  await watch;
  if (judged.message !== null) await change('stopped', judged.message);
  else if (ended === 'done') await change('finished', null);
}

/** Ends the replay when the job runs no longer. */
async function watchState(
  { store, clock }: RunDeps,
  id: string,
  ending: AbortController,
  stopped: AbortSignal,
): Promise<void> {
  for (;;) {
    await pause(clock, POLL_MS, stopped);
    if (stopped.aborted) return;
    if ((await store.job(id))?.state !== 'running') ending.abort();
  }
}

function endedOf({ succeeded, dead, skipped }: ReplayProgress): number {
  return succeeded + dead + skipped;
}
