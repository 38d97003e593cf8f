/** Runs one job step by step, from where it was left. */
import { pause } from '../kernel/time/pause.ts';
import { releaseEntries } from '../operate/change/release-quarantine.ts';
import { createPace } from '../replay/pace.ts';
import type { JobRecord } from '../store/jobs.ts';
import type { RunDeps } from './job-deps.ts';
import { nextStep } from './next-step.ts';
import { runReplayJob } from './run-replay-job.ts';

/** Milliseconds between two polls for results: the first wait, and the longest while nothing ends. */
const MIN_WAIT_MS = 50;
const MAX_WAIT_MS = 1000;

/**
 * Runs a job until it ends or the signal aborts. Called again, it goes on where it was: the store remembers which
 * items were acted on.
 */
export async function runJob(deps: RunDeps, id: string, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  const first = await store.job(id);
  if (first === null) return;
  if ('replay' in first.selection) {
    await runReplayJob(deps, first, first.selection.replay, signal);
    return;
  }
  const pace = createPace(first.rate ?? undefined, clock, signal);
  let exhausted = false;
  let waitMs = MIN_WAIT_MS;
  for (let ended = -1; !signal.aborted;) {
    const { job, open } = await store.recordJobResults(id);
    if (job.state !== 'running') return;
    const step = nextStep(job, { open, exhausted });
    switch (step.do) {
      case 'act':
        await pace(step.items);
        // Waiting takes seconds, and somebody may have cancelled the job meanwhile.
        if (!isAborted(signal) && (await store.job(id))?.state === 'running')
          exhausted = !(await actOn(deps, job, step.items));
        break;
      case 'wait': {
        const now = job.succeeded + job.failed + job.skipped;
        waitMs = now === ended ? Math.min(MAX_WAIT_MS, waitMs * 2) : MIN_WAIT_MS;
        ended = now;
        await pause(clock, waitMs, signal);
        break;
      }
      case 'begin-stage':
        await change(deps, job, { to: 'running', message: null, stageSize: step.size });
        break;
      case 'stop':
        await change(deps, job, { to: 'stopped', message: step.message });
        return;
      case 'finish':
        await change(deps, job, { to: 'finished', message: null });
        return;
    }
  }
}

/** The compiler believes that a signal cannot abort during an `await`. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Acts on the next items. Returns false when there are none. */
async function actOn(deps: RunDeps, job: JobRecord, limit: number): Promise<boolean> {
  const { store, clock } = deps;
  const page = { order: 'oldest', limit, ...(job.cursor !== null && { after: job.cursor }) } as const;
  const { selection } = job;
  if ('deliveries' in selection) {
    const found = await store.deliveries(selection.deliveries, page);
    if (found.length === 0) return false;
    await store.stepJob(job.id, { items: found.map(({ id }) => id), now: clock.now() });
  } else if ('entries' in selection) {
    const found = await store.quarantined(selection.entries, page);
    if (found.length === 0) return false;
    // A process that ends here releases them again, which changes nothing.
    await releaseEntries(deps, found, { dryRun: false, force: false, named: false });
    await store.stepJob(job.id, { items: found.map(({ id }) => id), now: clock.now(), released: true });
  }
  deps.wake();
  return true;
}

async function change(
  { store, clock }: RunDeps,
  { id, stage }: JobRecord,
  to: Omit<Parameters<RunDeps['store']['changeJob']>[1], 'from' | 'now' | 'ofStage'>,
): Promise<void> {
  await store.changeJob(id, { ...to, from: ['running'], now: clock.now(), ofStage: stage.number });
}
