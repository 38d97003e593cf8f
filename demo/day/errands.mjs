import { ClientError } from 'portaria/client';
import { ControlError } from '../world/control.mjs';

/**
 * Something that the office does at a time of the day. It may lead to others, later.
 *
 * @typedef {object} Errand
 * @property {number} at minutes after the day's begin
 * @property {string} what in a few words, for the display
 * @property {() => Promise<unknown>} run
 */

/** How many are under way at a time. */
const DESKS = 4;

/** The rules of the service say no: that happens in an office. */
const REFUSALS = new Set(['conflict', 'unprocessable', 'forbidden', 'not-found']);
/** Nobody can know whether it was done: it is tried again later. */
const OUTAGES = new Set(['unreachable', 'timed-out', 'provider-failed']);

/** @typedef {ReturnType<typeof createErrands>} Errands */

/** What is still to be done today, and how it went so far. */
export function createErrands() {
  /** @type {Errand[]} */
  let waiting = [];
  const counts = { done: 0, refused: 0, interrupted: 0 };

  /** @param {Errand} errand */
  async function run(errand) {
    try {
      await errand.run();
      counts.done += 1;
    } catch (error) {
      if (!ClientError.is(error) && !(error instanceof ControlError)) throw error;
      if (REFUSALS.has(error.code)) counts.refused += 1;
      else if (OUTAGES.has(error.code)) {
        counts.interrupted += 1;
        waiting.push(errand);
      } else throw error;
    }
  }

  return {
    counts,
    get left() {
      return waiting.length;
    },
    /**
     * @param {number} at
     * @param {string} what
     * @param {() => Promise<unknown>} run
     */
    plan(at, what, run) {
      waiting.push({ at, what, run });
    },
    /**
     * Does what is due. Those that were interrupted stay.
     *
     * @param {number} now minutes after the day's begin
     * @param {(what: string) => void} tell
     */
    async doDue(now, tell) {
      const due = waiting.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
      waiting = waiting.filter(({ at }) => at > now);
      if (due.length === 0) tell('the office has nothing to do');
      const next = due.values();
      const desk = async () => {
        for (const errand of next) {
          tell(errand.what);
          await run(errand);
        }
      };
      await Promise.all(Array.from({ length: DESKS }, desk));
    },
  };
}
