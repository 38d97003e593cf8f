/** Changes charges. */
import type { Insertable, Updateable } from 'kysely';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { checkTransition } from '../http/check-transition.ts';
import { notFound } from '../http/http-error.ts';
import { recordChange } from '../webhooks/record-change.ts';
import { charges, type ChargeStatus } from './charge.ts';

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
