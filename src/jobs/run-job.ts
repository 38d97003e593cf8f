/** Runs jobs step by step, from where they were left: one, and in `serve` all that run. */
import { pause } from '../kernel/time/pause.ts';
import type { JobRecord } from '../store/jobs.ts';
import type { RunDeps } from './job-deps.ts';
import { createReadNext } from './next-items.ts';
import { MIN_OPEN, nextStep } from './next-step.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import { scrub } from '../kernel/text/scrub.ts';

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

/** Waits until `count` more calls may start. Resolves early when the signal aborts. */
type Pace = (count: number) => Promise<void>;

/**
 * Limits the rate of calls. Unused time is not saved up: no burst follows a slow period.
 *
 * @param perSecond calls that may start in a second; undefined for no limit
 */
export function createPace(perSecond: number | undefined, clock: Clock, signal: AbortSignal): Pace {
  if (perSecond === undefined) return () => Promise.resolve();
  let freeAt = clock.monotonic();
  return async (count) => {
    const waitMs = freeAt - clock.monotonic();
    if (waitMs > 0) await pause(clock, waitMs, signal);
    freeAt = Math.max(freeAt, clock.monotonic()) + (count * 1000) / perSecond;
  };
}

/** Milliseconds of work that may be enqueued at a time. */
const SPAN_MS = 1000;

/** Limits how many deliveries of a replay are unfinished at a time. */
interface ReplayWindow {
  /** Called at each poll, with the number of deliveries that have ended. */
  observe(ended: number): void;
  size(): number;
}

/**
 * A window of as many deliveries as ended in the last second, with a minimum of `min`.
 * Quick handlers do not run out of work, and an interrupted replay leaves about
 * a second of work in the lanes.
 */
export function adaptiveWindow(min: number, clock: Clock): ReplayWindow {
  /** Oldest first, with one sample from before the last second. */
  let samples: { readonly at: number; readonly ended: number }[] = [];
  return {
    observe(ended) {
      const at = clock.monotonic();
      samples.push({ at, ended });
      const first = samples.findLastIndex((sample) => sample.at <= at - SPAN_MS);
      samples = samples.slice(Math.max(0, first));
    },
    size: () => Math.max(min, (samples.at(-1)?.ended ?? 0) - (samples[0]?.ended ?? 0)),
  };
}

/** Milliseconds between polls for jobs that another process or page has started. */
const POLL_MS = 500;
/** Milliseconds before a job goes on after an error of the store. */
const RETRY_MS = 10_000;

interface Options extends RunDeps {
  /** Whether this process does periodic work; others that share the store leave the jobs to it. */
  readonly leads: () => boolean;
}

/**
 * Runs the jobs of the store, those first that an earlier process left. Jobs run beside each other.
 *
 * @returns stops it, after the steps in progress; the jobs go on with the next process
 */
export function serveJobs(options: Options): () => Promise<void> {
  const { store, clock, warn, leads } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const active = new Map<string, Promise<void>>();

  async function run(id: string): Promise<void> {
    try {
      await runJob(options, id, signal);
    } catch (error) {
      if (signal.aborted) return;
      warn(`job ${id} waits after an error: ${scrub(failureReason(error))}`);
      await pause(clock, RETRY_MS, signal);
    } finally {
      active.delete(id);
    }
  }

  async function poll(): Promise<void> {
    while (!signal.aborted) {
      // Dispatching reports a store that cannot be read.
      const ids = leads() ? await store.runningJobs().catch(() => []) : [];
      for (const id of ids) if (!active.has(id)) active.set(id, run(id));
      await pause(clock, POLL_MS, signal);
    }
  }

  const polling = poll();
  return async () => {
    stopping.abort();
    await polling;
    await Promise.all(active.values());
  };
}
