import { setImmediate as loopTurn } from 'node:timers/promises';
import { pause } from '../../src/kernel/time/pause.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import { Refusal } from '../http/refusal.ts';
import type { Provider } from '../provider.ts';
import { drawFor } from './draw.ts';
import { performStep } from './perform-step.ts';
import type { Process } from './scenario-tables.ts';
import { findStep, nextStep, type DueStep } from './scheduled-steps.ts';

/** Milliseconds of the machine after which a look is taken for what other processes scheduled. */
const POLL_MS = 500;
/** Milliseconds after which a step that failed for no good reason is tried again. */
const DEFECT_PAUSE_MS = 60_000;

export interface Scenario {
  /**
   * Puts the provider's time forward; what is due on the way happens in order, each
   * at its own moment. While it is paused, time alone moves.
   *
   * @returns how many steps were due.
   */
  advance(ms: number): Promise<number>;
  /** Performs a scheduled step now. @returns whether there was one. @throws Refusal when it no longer fits: then it is dropped. */
  performNow(process: Process, subjectId: number): Promise<boolean>;
  readonly isPaused: boolean;
  /** From now on nothing happens by itself, though time runs on. */
  pause(): void;
  /** What has become due meanwhile happens at once, in order. */
  resume(): void;
  stop(): Promise<void>;
}

/**
 * Lets happen what is scheduled: logins, answers of agencies, imports. Steps are
 * rows of the database, so a restart goes on where it was; what became due
 * meanwhile happens at once, in order.
 */
export function startScenario(provider: Provider, log: Logger): Scenario {
  const { clock, machine, query } = provider;
  const stopping = new AbortController();
  let rouse = () => {};
  let paused = false;
  /** One at a time: advancing takes its turn with what happens by itself. */
  let turn: Promise<unknown> = Promise.resolve();

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = turn.then(work);
    turn = result.catch(() => undefined);
    return result;
  };

  /** @returns what has prevented it, if anything has. */
  async function perform({ process, subject_id, organization_id, round }: DueStep): Promise<Error | null> {
    const settle = (due_at: string | null) =>
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
        // A request was faster, and something else is scheduled now.
        if (numUpdatedRows === 0n) return;
        const step = `${process}:${String(subject_id)}:${String(round)}`;
        await performStep(change, process, subject_id, drawFor(change.seed, step));
      });
      return null;
    } catch (error) {
      // What was to happen no longer can: somebody else has moved the record.
      if (error instanceof Refusal) await settle(null).execute();
      else {
        log.error({ process, subject: subject_id, err: error }, 'A step of the scenario failed');
        await settle(new Date(clock.now() + DEFECT_PAUSE_MS).toISOString()).execute();
      }
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Everything that is due now. @returns milliseconds until there is more; null when nothing is scheduled. */
  async function performDue(): Promise<number | null> {
    for (;;) {
      const step = paused ? undefined : await nextStep(query);
      if (step === undefined) return null;
      const wait = Date.parse(step.due_at) - clock.now();
      if (wait > 0 || stopping.signal.aborted) return wait;
      await perform(step);
      // Requests have their turn, however much is due.
      await loopTurn();
    }
  }

  async function advance(ms: number): Promise<number> {
    const end = clock.now() + ms;
    for (let performed = 0; ; performed += 1) {
      const step = paused || stopping.signal.aborted ? undefined : await nextStep(query);
      const dueAt = step === undefined ? Infinity : Date.parse(step.due_at);
      if (step === undefined || dueAt > end) {
        // It is stopped: the rest of the way is left to the next start.
        if (!stopping.signal.aborted) await provider.advanceClock(Math.max(0, end - clock.now()));
        return performed;
      }
      await provider.advanceClock(Math.max(0, dueAt - clock.now()));
      await perform(step);
      await loopTurn();
    }
  }

  async function performNow(process: Process, subjectId: number): Promise<boolean> {
    const step = await findStep(query, process, subjectId);
    if (step === undefined) return false;
    const hindrance = await perform(step);
    if (hindrance !== null) throw hindrance;
    return true;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const idle = new AbortController();
      rouse = () => {
        idle.abort();
      };
      try {
        const wait = await inTurn(performDue);
        const cancelPoll = machine.after(POLL_MS, () => {
          idle.abort();
        });
        if (wait === null) await pause(machine, POLL_MS, idle.signal);
        else await pause(clock, wait, idle.signal);
        cancelPoll();
      } catch (error) {
        log.error({ err: error }, 'What is scheduled cannot be read; it is tried again');
        await pause(machine, POLL_MS, stopping.signal);
      }
    }
  }

  const forget = provider.onCommit((touched) => {
    if (touched.has('schedule')) rouse();
  });
  const ended = run();
  return {
    advance: (ms) => inTurn(() => advance(ms)),
    performNow: (process, subjectId) => inTurn(() => performNow(process, subjectId)),
    get isPaused() {
      return paused;
    },
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      rouse();
    },
    async stop() {
      forget();
      stopping.abort();
      rouse();
      await ended;
      await turn;
    },
  };
}
