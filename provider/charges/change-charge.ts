/** Changes charges and their slips. */
import type { Insertable, Updateable } from 'kysely';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { checkTransition } from '../http/check-transition.ts';
import { notFound, HttpError } from '../http/http-error.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { charges, type ChargeStatus } from './charge.ts';
import { requireNoActiveSlip } from '../payment-slips/active-slip.ts';
import { checkSlipMove, slipDueDate, type SlipTransition } from '../payment-slips/slip-rules.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { chargeSlips } from './charge-slip.ts';

export type NewCharge = Omit<Insertable<ProviderTables['charges']>, 'id' | 'organization_id'>;

/** Adds a charge that an agency reports and emits `charge.created`. No endpoint does this. */
export async function addCharge(change: Change, charge: NewCharge) {
  const { id } = await change.transaction
    .insertInto('charges')
    .values({ ...charge, organization_id: change.organization })
    .returning('id')
    .executeTakeFirstOrThrow();
  const added = await charges.read(change.transaction, change.organization, id, 'webhook');
  await recordChange(change, 'charge.created', added);
  return added;
}

/** Updates a charge and emits `charge.updated`. @throws HttpError 404 */
export async function changeCharge(
  change: Change,
  id: number,
  values: Updateable<ProviderTables['charges']>,
) {
  const { transaction, organization } = change;
  const { numUpdatedRows } = await transaction
    .updateTable('charges')
    .set(values)
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('Charge', id);
  const changed = await charges.read(transaction, organization, id, 'webhook');
  await recordChange(change, 'charge.updated', changed);
  return changed;
}

/** Allowed status changes. The specification lists the statuses but not the transitions. */
const nextStatuses: Readonly<Record<ChargeStatus, readonly ChargeStatus[]>> = {
  pending: ['paid', 'overdue'],
  overdue: ['paid'],
  paid: [],
};

/** Changes the status of a charge. @throws HttpError 404 without the charge, 409 when its status does not allow the next one. */
export async function moveCharge(change: Change, id: number, status: ChargeStatus) {
  const { status: from } = await charges.read(change.transaction, change.organization, id);
  checkTransition('A charge', { from, to: status }, nextStatuses);
  return changeCharge(change, id, { status });
}

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

type ChargeSlipTransition = SlipTransition<{ readonly barcode: string }>;

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
