import { ClientError } from 'portaria/client';
import { ControlError } from '../environment/control.mjs';

/**
 * A task of the office at a time of the day. It may plan others.
 *
 * @typedef {object} Errand
 * @property {number} at minutes after the start of the day
 * @property {string} what a few words for the display
 * @property {() => Promise<unknown>} run
 */

/** The number of errands in flight. */
const MAX_PARALLEL = 4;

/** The provider rejects the request, which is normal. */
const REJECTIONS = new Set(['conflict', 'unprocessable', 'forbidden', 'not-found']);
/** It is unknown whether the request was performed: it is repeated later. */
const OUTAGES = new Set(['unreachable', 'timed-out', 'provider-failed']);

/** @typedef {ReturnType<typeof createErrands>} Errands */

/** The errands of the day that are left, and counts of the others. */
export function createErrands() {
  /** @type {Errand[]} */
  let waiting = [];
  const counts = { done: 0, rejected: 0, interrupted: 0 };

  /** @param {Errand} errand */
  async function run(errand) {
    try {
      await errand.run();
      counts.done += 1;
    } catch (error) {
      if (!ClientError.is(error) && !(error instanceof ControlError)) throw error;
      if (REJECTIONS.has(error.code)) counts.rejected += 1;
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
     * Runs the errands that are due. Interrupted ones stay.
     *
     * @param {number} now minutes after the start of the day
     * @param {(what: string) => void} report
     */
    async doDue(now, report) {
      const due = waiting.filter(({ at }) => at <= now).sort((one, other) => one.at - other.at);
      waiting = waiting.filter(({ at }) => at > now);
      if (due.length === 0) report('the office is idle');
      const next = due.values();
      const worker = async () => {
        for (const errand of next) {
          report(errand.what);
          await run(errand);
        }
      };
      await Promise.all(Array.from({ length: MAX_PARALLEL }, worker));
    },
  };
}
