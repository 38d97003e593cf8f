/** Changes payment slips of charges. */
import type { Change } from '../change.ts';
import { HttpError } from '../http/http-error.ts';
import { requireNoActiveSlip } from '../payment-slips/active-slip.ts';
import { checkSlipMove, slipDueDate } from '../payment-slips/slip-rules.ts';
import type { SlipTransition } from '../payment-slips/slip-transition.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { chargeSlips } from './charge-slip.ts';
import { charges } from './charge.ts';

/**
 * Requests a payment slip for a charge and emits `charge.payment-slip.created`
 * (specification, States and transitions, ticket).
 *
 * @throws HttpError 404 without the charge, 409 when it has an active slip, 422 when it is paid.
 */
export async function requestChargeSlip(change: Change, chargeId: number) {
  const { transaction, organization, at, today } = change;
  const charge = await charges.read(transaction, organization, chargeId);
  const slips = { table: 'charge_payment_slips', column: 'charge_id' } as const;
  const name = `Charge with id ${String(chargeId)}`;
  await requireNoActiveSlip(change, slips, chargeId, `${name} has a payment slip already`);
  if (charge.status === 'paid')
    throw new HttpError(
      422,
      'A payment slip can be requested only for a charge with status pending or overdue',
    );

  const { id } = await transaction
    .insertInto('charge_payment_slips')
    .values({
      organization_id: organization,
      charge_id: chargeId,
      status: 'pending',
      due_date: slipDueDate(charge.due_date, today),
      created_at: at,
      updated_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const slip = await chargeSlips.read(transaction, organization, id, 'webhook');
  await recordChange(change, 'charge.payment-slip.created', slip);
  await scheduleStep(change, 'charge-slip', id, 'slip is requested');
  return slip;
}

export type ChargeSlipTransition = SlipTransition<{ readonly barcode: string }>;

/**
 * Changes the status of a slip, as the agency does, and emits `charge.payment-slip.updated`.
 *
 * @throws HttpError 404 without the slip, 409 when its status does not allow the next one.
 */
export async function moveChargeSlip(change: Change, id: number, transition: ChargeSlipTransition) {
  const { transaction, organization, at } = change;
  const slip = await chargeSlips.read(transaction, organization, id);
  checkSlipMove(slip.status, transition.status);
  await transaction
    .updateTable('charge_payment_slips')
    .set({ ...transition, last_synced_at: at, updated_at: at })
    .where('id', '=', id)
    .execute();
  const moved = await chargeSlips.read(transaction, organization, id, 'webhook');
  await recordChange(change, 'charge.payment-slip.updated', moved);
  if (transition.status === 'requested') await scheduleStep(change, 'charge-slip', id, 'agency answers');
  return moved;
}
