import type { Insertable } from 'kysely';
import type { Change } from '../change.ts';
import type { DriverLicenseTables } from './driver-license-tables.ts';

export type RegistryLicense = Omit<Insertable<DriverLicenseTables['registry_licenses']>, 'organization_id'>;

/**
 * Puts a licence into the registry that {@link addDriver} looks into, or replaces
 * what is there of the same CPF: points, status, a renewal. Drivers show it at
 * once. No endpoint does this, and no event tells of it.
 */
export async function registerLicense(
  { transaction, organization }: Change,
  license: RegistryLicense,
): Promise<void> {
  const { tax_id, ...rest } = license;
  await transaction
    .insertInto('registry_licenses')
    .values({ ...license, organization_id: organization })
    .onConflict((conflict) => conflict.columns(['organization_id', 'tax_id']).doUpdateSet(rest))
    .execute();
}
