import type { Kysely } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { inOrganization } from '../list/in-organization.ts';
import { Refusal } from '../http/refusal.ts';

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

/** @throws Refusal 404, with a label only. */
export async function readDriverLicense(query: Kysely<ProviderTables>, organization: number, id: number) {
  const row = await selectRecords(query, organization).where('drivers.id', '=', id).executeTakeFirst();
  if (row === undefined) throw noLicense();
  return licenseRecord(row);
}

/** Those with these ids, in the order of their ids. */
export async function readDriverLicenses(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
) {
  const rows = await selectRecords(query, organization).where('drivers.id', 'in', ids).execute();
  return rows.map(licenseRecord);
}

/** The driver who has the licence with this id. @throws Refusal 404 */
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

/** A day as the date-time that the resource has: it begins with the day, so that it can be read off. */
function asDateTime(day: string | null): string | null {
  return day === null ? null : `${day}T00:00:00.000Z`;
}

/** Their labels are localized (specification, Errors), and the provider is Brazilian. */

/** A licence that is not there: a label alone. */
export function noLicense(): Refusal {
  return new Refusal(404, '', 'CNH não encontrada');
}

export function noLicenseForCpf(): Refusal {
  return new Refusal(404, 'Não existe CNH para o CPF informado', 'CNH não encontrada');
}

export function invalidCpf(): Refusal {
  return new Refusal(400, 'O CPF informado não é válido', 'CPF inválido');
}
