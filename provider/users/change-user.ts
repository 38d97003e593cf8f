/** Changes users. */
import type { Insertable, Updateable } from 'kysely';
import type { z } from 'zod';
import type { userDriverLicense } from '../../src/contract/record/driver-license.ts';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { registerLicense } from '../driver-licenses/change-driver-license.ts';
import type { LicenseStatus } from '../driver-licenses/driver-license.ts';
import { notFound, HttpError } from '../http/http-error.ts';
import { addLogin } from '../login/change-login.ts';
import { scheduleStep, unscheduleSteps } from '../scenario/schedule-step.ts';
import { addSneRegistration } from '../sne/change-sne.ts';
import { users } from './user.ts';

export type NewUser = Pick<Insertable<ProviderTables['users']>, 'tax_id' | 'name'> &
  Partial<Pick<Insertable<ProviderTables['users']>, 'email' | 'phone' | 'external_uid'>>;

/** Adds a user with a `pending` link. @throws HttpError 409 when the organization has a user with this CPF. */
export async function addUser(change: Change, user: NewUser) {
  const { transaction, organization, at } = change;
  const added = await transaction
    .insertInto('users')
    .values({ organization_id: organization, ...user, status: 'pending', created_at: at, updated_at: at })
    .onConflict((conflict) => conflict.columns(['organization_id', 'tax_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (added === undefined) throw new HttpError(409, `User with tax_id ${user.tax_id} already exists`);
  await addLogin(change, 'user', added.id);
  await addSneRegistration(change, 'user', added.id);
  await scheduleStep(change, 'user-login', added.id, 'login starts');
  return users.read(transaction, organization, added.id);
}

/** Updates a user and its `updated_at`. The specification has no webhook for this. @throws HttpError 404 */
export async function changeUser(change: Change, id: number, values: Updateable<ProviderTables['users']>) {
  const { transaction, organization, at } = change;
  const { numUpdatedRows } = await transaction
    .updateTable('users')
    .set({ ...values, updated_at: at })
    .where('id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw notFound('User', id);
  return users.read(transaction, organization, id);
}

/** Removes a user with its login, SNE registration and scheduled steps. @throws HttpError 404 */
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

/** A new driver licence of a user. It has the user's CPF. */
export type NewUserDriverLicense = z.infer<z.ZodObject<Omit<typeof userDriverLicense.shape, NotGiven>>> & {
  readonly status: LicenseStatus;
};

type NotGiven = 'id' | 'tax_id' | 'status' | 'user' | 'created_at';

/**
 * Stores the licence of a user, replaces an earlier one, and registers it. No
 * endpoint does this, and it emits no webhook.
 *
 * @throws HttpError 404 without the user.
 */
export async function storeUserDriverLicense(
  change: Change,
  userId: number,
  license: NewUserDriverLicense,
): Promise<void> {
  const { transaction, organization, at } = change;
  const { tax_id } = await users.read(transaction, organization, userId);
  const record = JSON.stringify({ ...license, tax_id });
  await transaction
    .insertInto('user_driver_licenses')
    .values({ organization_id: organization, user_id: userId, record, created_at: at })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ record }))
    .execute();
  await registerLicense(change, {
    tax_id,
    license: license.license ?? null,
    name: license.name ?? null,
    points: license.points?.value ?? null,
    status: license.status,
    issue_date: license.issue_date ?? null,
    expiration_date: license.expiration_date ?? null,
  });
}
