import type { Updateable } from 'kysely';
import type { Change } from '../change.ts';
import { notFound, Refusal } from '../http/refusal.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { isActiveSlip, checkSlipMove, type SlipStatus, slipDueDate } from '../payment-slips/slip-rules.ts';
import type { ChargeTables } from './charge-tables.ts';
import { readChargeSlip } from './read-charge-slip.ts';
import { readCharge } from './read-charge.ts';

/**
 * Requests a payment slip of a charge and tells `charge.payment-slip.created`
 * (specification, States and transitions, ticket).
 *
 * @throws Refusal 404, 409 when the charge has an active slip, 422 when it is neither pending nor overdue.
 */
export async function requestChargeSlip(change: Change, chargeId: number) {
  const { transaction, organization, at, today } = change;
  const charge = await readCharge(transaction, organization, chargeId);
  const active = await transaction
    .selectFrom('charge_payment_slips')
    .select('id')
    .where('charge_id', '=', chargeId)
    .where(isActiveSlip(today))
    .executeTakeFirst();
  if (active !== undefined)
    throw new Refusal(409, `Charge with id ${String(chargeId)} has a payment slip already`);
  if (charge.status === 'paid')
    throw new Refusal(422, 'A payment slip takes a charge with status pending or overdue');

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
  const slip = await readChargeSlip(transaction, organization, id);
  await recordChange(change, 'charge.payment-slip.created', slip);
  await scheduleStep(change, 'charge-slip', id, 'slip is requested');
  return slip;
}

/**
 * Takes a slip a step further, as the agency does, and tells `charge.payment-slip.updated`.
 *
 * @throws Refusal 404, 409 when the slip cannot become that.
 */
export async function moveChargeSlip(
  change: Change,
  id: number,
  values: Updateable<ChargeTables['charge_payment_slips']> & { readonly status: SlipStatus },
) {
  const { transaction, organization, at } = change;
  const slip = await transaction
    .selectFrom('charge_payment_slips')
    .select('status')
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (slip === undefined) throw notFound('Ticket', id);
  checkSlipMove(slip.status, values.status);
  await transaction
    .updateTable('charge_payment_slips')
    .set({ ...values, last_synced_at: at, updated_at: at })
    .where('id', '=', id)
    .execute();
  const moved = await readChargeSlip(transaction, organization, id);
  await recordChange(change, 'charge.payment-slip.updated', moved);
  if (values.status === 'requested') await scheduleStep(change, 'charge-slip', id, 'agency answers');
  return moved;
}
