/** Reads drivers and their licences. */
import type { Kysely } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { HttpError } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';

function selectRecords(query: Kysely<ProviderTables>, organization: number) {
  return query
    .selectFrom('drivers')
    .innerJoin('registry_licenses', (join) =>
      join
        .onRef('registry_licenses.organization_id', '=', 'drivers.organization_id')
        .onRef('registry_licenses.tax_id', '=', 'drivers.tax_id'),
    )
    .where(inOrganization('drivers.organization_id', organization))
    .selectAll(['registry_licenses', 'drivers'])
    .orderBy('drivers.id');
}

type Row = Awaited<ReturnType<ReturnType<typeof selectRecords>['executeTakeFirstOrThrow']>>;

/** Reads the licence of a driver. @throws HttpError 404 without a message. */
export async function readDriverLicense(query: Kysely<ProviderTables>, organization: number, id: number) {
  const row = await selectRecords(query, organization).where('drivers.id', '=', id).executeTakeFirst();
  if (row === undefined) throw noLicense();
  return licenseRecord(row);
}

/** Reads the licences of the drivers with these ids, ordered by id. */
export async function readDriverLicenses(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
) {
  const rows = await selectRecords(query, organization).where('drivers.id', 'in', ids).execute();
  return rows.map(licenseRecord);
}

/** Reads a driver, without points and status of the licence. @throws HttpError 404 */
export async function readDriver(query: Kysely<ProviderTables>, organization: number, id: number) {
  const { points: _, status: __, ...driver } = await readDriverLicense(query, organization, id);
  return driver;
}

function licenseRecord(row: Row) {
  return {
    id: row.id,
    license: row.license,
    name: row.name,
    tax_id: row.tax_id,
    points: row.points,
    status: row.status,
    issue_date: asDateTime(row.issue_date),
    expiration_date: asDateTime(row.expiration_date),
    created_at: row.created_at,
  };
}

/** Converts a day to the date-time of the resource: midnight in UTC, so that the prefix is the day. */
function asDateTime(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00.000Z`;
}

// The labels of these errors are in Portuguese (specification, Errors).

/** The error of a missing licence. It has a label and no message. */
export function noLicense(): HttpError {
  return new HttpError(404, '', 'CNH não encontrada');
}

/** The error of a CPF without licence in the registry. */
export function noLicenseForCpf(): HttpError {
  return new HttpError(404, 'Não existe CNH para o CPF informado', 'CNH não encontrada');
}

/** The error of a CPF with wrong check digits. */
export function invalidCpf(): HttpError {
  return new HttpError(400, 'O CPF informado não é válido', 'CPF inválido');
}
