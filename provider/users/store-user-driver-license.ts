import type { z } from 'zod';
import type { userDriverLicense } from '../../src/contract/record/driver-license.ts';
import type { Change } from '../change.ts';
import type { LicenseStatus } from '../driver-licenses/driver-license-tables.ts';
import { registerLicense } from '../driver-licenses/register-license.ts';
import { readUser } from './read-user.ts';

/** What a licence says of itself; its CPF is the user's. */
export type NewUserDriverLicense = z.infer<z.ZodObject<Omit<typeof userDriverLicense.shape, NotGiven>>> & {
  readonly status: LicenseStatus;
};

type NotGiven = 'id' | 'tax_id' | 'status' | 'user' | 'created_at';

/**
 * Keeps the licence that was read for a user, in place of an earlier one, and lets
 * the registry know it, too. No endpoint does this, and no event tells of it.
 *
 * @throws Refusal 404 without the user.
 */
export async function storeUserDriverLicense(
  change: Change,
  userId: number,
  license: NewUserDriverLicense,
): Promise<void> {
  const { transaction, organization, at } = change;
  const { tax_id } = await readUser(transaction, organization, userId);
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
