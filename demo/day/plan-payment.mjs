import { keyedShare } from './keyed-share.mjs';

/** Minutes from a request for a slip to its payment. */
const PAYS_AFTER = 180;
/** Of what slips were requested for. */
const PAID_SHARE = 0.4;

/**
 * Somebody pays what a slip was requested for, perhaps: had happen through the control API. Whatever else others
 * do, the service plays by itself.
 *
 * @param {import('./office.mjs').OfficeParts} parts
 * @param {string} path of what it is for
 * @param {number} at minutes after the day's begin at which the slip was requested
 */
export function planPayment({ control, errands, options: { seed } }, path, at) {
  if (keyedShare(seed, `payment of ${path}`) < PAID_SHARE)
    errands.plan(at + PAYS_AFTER, 'fines are paid', () => control.have(`${path}/status`, { status: 'paid' }));
}
