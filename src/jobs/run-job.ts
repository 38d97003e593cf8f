/** Runs one job step by step, from where it was left. */
import { pause } from '../kernel/time/pause.ts';
import { createPace } from '../replay/pace.ts';
import { adaptiveWindow } from '../replay/replay-window.ts';
import type { JobRecord } from '../store/jobs.ts';
import type { RunDeps } from './job-deps.ts';
import { createReadNext } from './next-items.ts';
import { MIN_OPEN, nextStep } from './next-step.ts';

/** Milliseconds between two polls for results: the first wait, and the longest while nothing ends. */
const MIN_WAIT_MS = 25;
const MAX_WAIT_MS = 1000;

/**
 * Runs a job until it ends or the signal aborts. Called again, it goes on where it was: the store remembers which
 * items were acted on.
 */
export async function runJob(deps: RunDeps, id: string, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  const first = await store.job(id);
  if (first === null) return;
  const missing = missingHandlers(deps, first);
  if (missing.length > 0) {
    const ending = { code: 'no-handler', names: missing.join(', ') } as const;
    await change(deps, first, { to: 'stopped', ending });
    return;
  }
  const readNext = createReadNext(deps, first);
  const pace = createPace(first.rate ?? undefined, clock, signal);
  const window = adaptiveWindow(MIN_OPEN, clock);
  let exhausted = false;
  let waitMs = MIN_WAIT_MS;
  for (let ended = -1; !signal.aborted;) {
    const { job, open } = await store.recordJobResults(id);
    if (job.state !== 'running') return;
    const now = job.succeeded + job.failed + job.skipped;
    window.observe(now);
    const step = nextStep(job, {
      open,
      exhausted,
      ...(job.action === 'replay' && { window: window.size() }),
    });
    switch (step.do) {
      case 'act': {
        const next = await readNext(job, step.items);
        if (next === null) {
          exhausted = true;
          break;
        }
        await pace(next.count);
        // Waiting takes seconds, and somebody may have cancelled the job meanwhile.
        if (isAborted(signal) || (await store.job(id))?.state !== 'running') break;
        const ending = await next.act(signal);
        if (ending === null) break;
        await change(deps, job, { to: 'stopped', ending });
        return;
      }
      case 'wait':
        waitMs = now === ended ? Math.min(MAX_WAIT_MS, waitMs * 2) : MIN_WAIT_MS;
        ended = now;
        await pause(clock, waitMs, signal);
        break;
      case 'begin-stage':
        await change(deps, job, { to: 'running', ending: null, stageSize: step.size });
        break;
      case 'stop':
        await change(deps, job, { to: 'stopped', ending: step.ending });
        return;
      case 'finish':
        await change(deps, job, { to: 'finished', ending: null });
        return;
    }
  }
}

/** The handlers of a replay that this process does not have: it would end without having called them. */
function missingHandlers({ registry }: RunDeps, { selection }: JobRecord): readonly string[] {
  if (!('events' in selection)) return [];
  return selection.events.handlers.filter((name) => registry.runnable(name) === undefined);
}

/** The compiler believes that a signal cannot abort during an `await`. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function change(
  { store, clock }: RunDeps,
  { id, stage }: JobRecord,
  to: Omit<Parameters<RunDeps['store']['changeJob']>[1], 'from' | 'now' | 'ofStage'>,
): Promise<void> {
  await store.changeJob(id, { ...to, from: ['running'], now: clock.now(), ofStage: stage.number });
}
