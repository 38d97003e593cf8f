import type { Insertable, Updateable } from 'kysely';
import type { Change } from '../change.ts';
import { notFound } from '../http/refusal.ts';
import { recordChange } from '../webhooks/record-change.ts';
import type { ChargeTables } from './charge-tables.ts';
import { readCharge } from './read-charge.ts';

export type NewCharge = Omit<Insertable<ChargeTables['charges']>, 'id' | 'organization_id'>;

/** Adds a charge that an agency has made, and tells `charge.created`. No endpoint makes any. */
export async function addCharge(change: Change, charge: NewCharge) {
  const { id } = await change.transaction
    .insertInto('charges')
    .values({ ...charge, organization_id: change.organization })
    .returning('id')
    .executeTakeFirstOrThrow();
  const added = await readCharge(change.transaction, change.organization, id, 'webhook');
  await recordChange(change, 'charge.created', added);
  return added;
}

/** Changes a charge, for example because it was paid, and tells `charge.updated`. @throws Refusal 404 */
export async function changeCharge(
  change: Change,
  id: number,
  values: Updateable<ChargeTables['charges']>,
): Promise<void> {
  const { transaction, organization } = change;
  const { numUpdatedRows } = await transaction
    .updateTable('charges')
    .set(values)
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('Charge', id);
  await recordChange(change, 'charge.updated', await readCharge(transaction, organization, id, 'webhook'));
}
