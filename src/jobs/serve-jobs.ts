/** Runs the jobs of a store while a process serves. */
import { failureReason } from '../kernel/failure-reason.ts';
import { scrub } from '../kernel/text/scrub.ts';
import { pause } from '../kernel/time/pause.ts';
import type { RunDeps } from './job-deps.ts';
import { runJob } from './run-job.ts';

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
