/** Changes drivers, and licences of the national registry. */
import type { Insertable } from 'kysely';
import { isValidCpf } from '../../src/contract/check-digits.ts';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { HttpError } from '../http/http-error.ts';
import { driverLicenses } from './driver-license.ts';

/**
 * Adds the holder of a licence as a driver of the organization. Adding a driver
 * again returns the same driver.
 *
 * @throws HttpError 400 when the CPF is invalid, 404 when the registry has no licence for it.
 */
export async function addDriver(change: Change, taxId: string) {
  const { transaction, organization, at } = change;
  // The errors are in Portuguese (specification, Errors).
  if (!isValidCpf(taxId)) throw new HttpError(400, 'O CPF informado não é válido', 'CPF inválido');
  const license = await transaction
    .selectFrom('registry_licenses')
    .select('tax_id')
    .where('organization_id', '=', organization)
    .where('tax_id', '=', taxId)
    .executeTakeFirst();
  if (license === undefined)
    throw new HttpError(404, 'Não existe CNH para o CPF informado', 'CNH não encontrada');
  await transaction
    .insertInto('drivers')
    .values({ organization_id: organization, tax_id: taxId, created_at: at })
    .onConflict((conflict) => conflict.columns(['organization_id', 'tax_id']).doNothing())
    .execute();
  const { id } = await transaction
    .selectFrom('drivers')
    .select('id')
    .where('organization_id', '=', organization)
    .where('tax_id', '=', taxId)
    .executeTakeFirstOrThrow();
  return driverLicenses.read(transaction, organization, id);
}

export type RegistryLicense = Omit<Insertable<ProviderTables['registry_licenses']>, 'organization_id'>;

/**
 * Stores a licence in the registry that {@link addDriver} reads, or replaces the
 * one with the same CPF. The driver's record shows the change at once. No
 * endpoint does this, and it emits no webhook.
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
