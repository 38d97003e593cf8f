import { keyedRandom } from './keyed-random.mjs';

/** Minutes from a request for a slip to its payment. */
const PAYS_AFTER = 180;
/** The share of slips that are paid. */
const PAID_SHARE = 0.4;

/**
 * Plans the payment of some slips through the control API. The provider simulates all other third parties.
 *
 * @param {import('./office.mjs').OfficeDeps} deps
 * @param {string} path of the record that the slip is for
 * @param {number} at minutes after the start of the day at which the slip was requested
 */
export function planPayment({ control, errands, options: { seed } }, path, at) {
  if (keyedRandom(seed, `payment of ${path}`) < PAID_SHARE)
    errands.plan(at + PAYS_AFTER, 'fines are paid', () => control.post(`${path}/status`, { status: 'paid' }));
}
