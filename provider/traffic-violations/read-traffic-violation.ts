import type { Kysely } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound } from '../http/refusal.ts';
import { inOrganization } from '../list/in-organization.ts';
import type { ViolationRow } from './traffic-violation-record.ts';

function selectViolations(query: Kysely<ProviderTables>, organization: number) {
  return query
    .selectFrom('traffic_violations')
    .leftJoin('companies', 'companies.id', 'traffic_violations.company_id')
    .leftJoin('users', 'users.id', 'traffic_violations.user_id')
    .leftJoin('agencies', (join) =>
      join
        .onRef('agencies.organization_id', '=', 'traffic_violations.organization_id')
        .onRef('agencies.code', '=', 'traffic_violations.agency_code'),
    )
    .where(inOrganization('traffic_violations.organization_id', organization))
    .selectAll('traffic_violations')
    .select([
      'companies.external_uid as company_external_uid',
      'companies.name as company_name',
      'companies.tax_id as company_tax_id',
      'users.external_uid as user_external_uid',
      'users.status as user_status',
      'agencies.name as agency_name',
      'agencies.sne_indications as agency_sne_indications',
      'agencies.sne_tickets as agency_sne_tickets',
    ]);
}

export const findTrafficViolation = (query: Kysely<ProviderTables>, organization: number, id: number) =>
  selectViolations(query, organization).where('traffic_violations.id', '=', id).executeTakeFirst();

/** @throws Refusal 404 */
export async function readTrafficViolation(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<ViolationRow> {
  const row = await findTrafficViolation(query, organization, id);
  if (row === undefined) throw notFound('Traffic violation', id);
  return row;
}

/** Those with these ids, in the order of their ids. */
export function readTrafficViolations(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
): Promise<ViolationRow[]> {
  return selectViolations(query, organization)
    .where('traffic_violations.id', 'in', ids)
    .orderBy('traffic_violations.id')
    .execute();
}
