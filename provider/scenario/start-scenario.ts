/** Runs scheduled steps of the scenario when they are due. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { pause } from '../../src/kernel/time/pause.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import { HttpError } from '../http/http-error.ts';
import type { Provider } from '../provider.ts';
import { drawFor } from './pace-and-odds.ts';
import { performStep } from './perform-step.ts';
import type { Process } from './scenario-tables.ts';
import { findStep, nextStep, type DueStep } from './schedule-step.ts';

/** Milliseconds between two polls for steps that other processes scheduled. */
const POLL_MS = 500;
/** Milliseconds until a step is retried after an unexpected error. */
const DEFECT_PAUSE_MS = 60_000;

/** The running scenario. */
export interface Scenario {
  /**
   * Advances the provider's clock. Steps that become due run in order, each at its due
   * time. While the scenario is paused, only the clock advances.
   *
   * @returns the number of steps that ran.
   */
  advance(ms: number): Promise<number>;
  /**
   * Runs a scheduled step now.
   *
   * @returns whether there was one.
   * @throws HttpError when the step is no longer possible; it is dropped.
   */
  performNow(process: Process, subjectId: number): Promise<boolean>;
  readonly isPaused: boolean;
  /** Stops running steps. The clock runs on. */
  pause(): void;
  /** Runs overdue steps at once, in order, and goes on. */
  resume(): void;
  stop(): Promise<void>;
}

/**
 * Starts the scenario, which runs scheduled steps when they are due: logins, decisions of
 * agencies, imports. Steps are rows of the database: after a restart, overdue ones run at
 * once, in order.
 */
export function startScenario(provider: Provider, log: Logger): Scenario {
  const { clock, machine, query } = provider;
  const stopping = new AbortController();
  let wake = () => {};
  let paused = false;
  /** The last of the operations, which run one at a time. */
  let last: Promise<unknown> = Promise.resolve();

  const exclusively = <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };

  /** Runs a step. @returns the error that prevented it, or null. */
  async function perform({ process, subject_id, organization_id, round }: DueStep): Promise<Error | null> {
    const reschedule = (due_at: string | null) =>
      query
        .updateTable('scheduled_steps')
        .set({ due_at })
        .where('process', '=', process)
        .where('subject_id', '=', subject_id)
        .where('round', '=', round);
    try {
      await provider.change(organization_id, async (change) => {
        const { numUpdatedRows } = await change.transaction
          .updateTable('scheduled_steps')
          .set({ due_at: null })
          .where('process', '=', process)
          .where('subject_id', '=', subject_id)
          .where('round', '=', round)
          .where('due_at', 'is not', null)
          .executeTakeFirst();
        // A concurrent request has scheduled another step.
        if (numUpdatedRows === 0n) return;
        const step = `${process}:${String(subject_id)}:${String(round)}`;
        await performStep(change, process, subject_id, drawFor(change.seed, step));
      });
      return null;
    } catch (error) {
      // The step is no longer possible: the record has changed.
      if (error instanceof HttpError) await reschedule(null).execute();
      else {
        log.error({ process, subject: subject_id, err: error }, 'A step of the scenario failed');
        await reschedule(new Date(clock.now() + DEFECT_PAUSE_MS).toISOString()).execute();
      }
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Runs all due steps. @returns milliseconds until the next one; null when none is scheduled. */
  async function performDue(): Promise<number | null> {
    for (;;) {
      const step = paused ? undefined : await nextStep(query);
      if (step === undefined) return null;
      const wait = Date.parse(step.due_at) - clock.now();
      if (wait > 0 || stopping.signal.aborted) return wait;
      await perform(step);
      // Yields to requests.
      await nextTick();
    }
  }

  async function advance(ms: number): Promise<number> {
    const end = clock.now() + ms;
    for (let performed = 0; ; performed += 1) {
      const step = paused || stopping.signal.aborted ? undefined : await nextStep(query);
      const dueAt = step === undefined ? Infinity : Date.parse(step.due_at);
      if (step === undefined || dueAt > end) {
        // After a stop, the rest of the advance is left to the next start.
        if (!stopping.signal.aborted) await provider.advanceClock(Math.max(0, end - clock.now()));
        return performed;
      }
      await provider.advanceClock(Math.max(0, dueAt - clock.now()));
      await perform(step);
      await nextTick();
    }
  }

  async function performNow(process: Process, subjectId: number): Promise<boolean> {
    const step = await findStep(query, process, subjectId);
    if (step === undefined) return false;
    const error = await perform(step);
    if (error !== null) throw error;
    return true;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const idle = new AbortController();
      wake = () => {
        idle.abort();
      };
      try {
        const wait = await exclusively(performDue);
        const cancelPoll = machine.after(POLL_MS, () => {
          idle.abort();
        });
        if (wait === null) await pause(machine, POLL_MS, idle.signal);
        else await pause(clock, wait, idle.signal);
        cancelPoll();
      } catch (error) {
        log.error({ err: error }, 'The scheduled steps cannot be read; retrying');
        await pause(machine, POLL_MS, stopping.signal);
      }
    }
  }

  const unsubscribe = provider.onCommit((touched) => {
    if (touched.has('schedule')) wake();
  });
  const ended = run();
  return {
    advance: (ms) => exclusively(() => advance(ms)),
    performNow: (process, subjectId) => exclusively(() => performNow(process, subjectId)),
    get isPaused() {
      return paused;
    },
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      wake();
    },
    async stop() {
      unsubscribe();
      stopping.abort();
      wake();
      await ended;
      await last;
    },
  };
}
