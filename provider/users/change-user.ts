import type { Insertable, Updateable } from 'kysely';
import type { Change } from '../change.ts';
import { notFound, Refusal } from '../http/refusal.ts';
import { addLogin } from '../login/add-login.ts';
import { scheduleStep, unscheduleSteps } from '../scenario/schedule-step.ts';
import { addSneRegistration } from '../sne/add-sne-registration.ts';
import { readUser } from './read-user.ts';
import type { UserTables } from './user-tables.ts';

export type NewUser = Pick<Insertable<UserTables['users']>, 'tax_id' | 'name'> &
  Partial<Pick<Insertable<UserTables['users']>, 'email' | 'phone' | 'external_uid'>>;

/** Adds a user; its link begins as `pending`. @throws Refusal 409 when the organization has one with its CPF. */
export async function addUser(change: Change, user: NewUser) {
  const { transaction, organization, at } = change;
  const added = await transaction
    .insertInto('users')
    .values({ organization_id: organization, ...user, status: 'pending', created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.columns(['organization_id', 'tax_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added === undefined) throw new Refusal(409, `User with tax_id ${user.tax_id} already exists`);
  await addLogin(change, 'user', added.id);
  await addSneRegistration(change, 'user', added.id);
  await scheduleStep(change, 'user-login', added.id, 'login starts');
  return readUser(transaction, organization, added.id);
}

/** Changes columns of a user and moves its `updated_at`. No event tells of it: there is none. @throws Refusal 404 */
export async function changeUser(change: Change, id: number, values: Updateable<UserTables['users']>) {
  const { transaction, organization, at } = change;
  const { numUpdatedRows } = await transaction
    .updateTable('users')
    .set({ ...values, updated_at: at })
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('User', id);
  return readUser(transaction, organization, id);
}

/** Removes a user and what belongs to it. @throws Refusal 404 */
export async function removeUser(change: Change, id: number): Promise<void> {
  const { transaction, organization } = change;
  const { numDeletedRows } = await transaction
    .deleteFrom('users')
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('User', id);
  for (const table of ['logins', 'sne_registrations'] as const)
    await transaction.deleteFrom(table).where('owner_kind', '=', 'user').where('owner_id', '=', id).execute();
  await unscheduleSteps(change, ['user-login', 'user-session', 'user-sne'], id);
}
