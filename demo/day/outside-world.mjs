import { keyedShare } from './keyed-share.mjs';

const HOUR = 60;
/** Minutes after an indication at which the driver, or who signs, answers. */
const ANSWERS_AFTER = [0.5 * HOUR, 4 * HOUR];
/** Minutes from a request for a slip to its payment. */
const PAYS_AFTER = 3 * HOUR;
/** Of slips that were requested. */
const PAID_SHARE = 0.4;

/**
 * What others do about what the office has asked for: drivers and signers
 * answer, somebody pays. It is had happen through the control API.
 *
 * @param {import('./office.mjs').OfficeParts} parts
 */
export function outsideWorld({ control, errands, options: { seed } }) {
  /**
   * @param {number} at
   * @param {string} what
   * @param {string} path
   * @param {object} body
   */
  const later = (at, what, path, body) => errands.plan(at, what, () => control.have(path, body));
  return {
    /**
     * A driver was indicated.
     *
     * @param {number} id
     * @param {{ readonly at: number, readonly isForm: boolean }} how `at` in minutes after the day's begin
     */
    answers(id, { at, isForm }) {
      const chance = keyedShare(seed, `indication ${id}`);
      const [soonest = 0, latest = 0] = ANSWERS_AFTER;
      const then = at + soonest + keyedShare(seed, `indication ${id}: when`) * (latest - soonest);
      const path = `/indications/${id}`;
      if (!isForm)
        later(then, 'drivers answer', `${path}/status`, {
          status: chance < 0.75 ? 'accepted' : chance < 0.9 ? 'rejected' : 'expired',
        });
      else if (chance < 0.1) later(then, 'drivers refuse', `${path}/document/status`, { status: 'refused' });
      else {
        later(then, 'drivers sign', `${path}/document/status`, { status: 'signed' });
        if (chance < 0.9) later(then + HOUR, 'indications are filed', `${path}/status`, { status: 'filed' });
      }
    },
    /**
     * A payment slip was requested.
     *
     * @param {string} path of what it is for
     * @param {number} at minutes after the day's begin
     */
    pays(path, at) {
      if (keyedShare(seed, `payment of ${path}`) < PAID_SHARE)
        later(at + PAYS_AFTER, 'fines are paid', `${path}/status`, { status: 'paid' });
    },
  };
}
