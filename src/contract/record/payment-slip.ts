import { closedSet } from '../field/schemas.ts';

/**
 * Status of a payment slip of any of the three families (specification,
 * Resources, Traffic violation payment slip): `pending` received, `requested`
 * awaits the agency, `issued`, `rejected` by the agency, `failed` to generate.
 */
export const slipStatus = closedSet(['pending', 'requested', 'issued', 'rejected', 'failed']);

/** How a slip is paid (specification, Resources, Traffic violation payment slip). */
export const paymentMethod = closedSet(['bank_slip', 'pix']);
