/** What payment slips of all families share. */
import { closedSet } from '../field/schemas.ts';

/**
 * The status of a payment slip of any family (specification, Resources, Traffic violation payment slip).
 * `pending`: received. `requested`: waits for the agency. `rejected`: by the agency. `failed`: not generated.
 */
export const slipStatus = closedSet(['pending', 'requested', 'issued', 'rejected', 'failed']);

/** The payment method of a slip (specification, Resources, Traffic violation payment slip). */
export const paymentMethod = closedSet(['bank_slip', 'pix']);
