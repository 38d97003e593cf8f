/** Reads traffic violations. */
import { sql, type Kysely, type Selectable } from 'kysely';
import { companyReference, type Audience } from '../companies/company-reference.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';
import { requireActiveLink } from '../users/read-user.ts';
import type { LinkStatus } from '../users/user-tables.ts';
import { discountUnavailableReasons, indicationUnavailableReason } from './availability.ts';
import type { TrafficViolationTables } from './traffic-violation-tables.ts';

/** A traffic violation, joined with its company, user and agency. */
export type ViolationRow = Selectable<TrafficViolationTables['traffic_violations']> & {
  readonly company_external_uid: string | null;
  readonly company_name: string | null;
  readonly company_tax_id: string | null;
  readonly user_external_uid: string | null;
  readonly user_status: LinkStatus | null;
  readonly agency_name: string | null;
  readonly agency_sne_indications: 0 | 1 | null;
  readonly agency_sne_tickets: 0 | 1 | null;
};

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

/** Finds one violation. */
export function findTrafficViolation(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<ViolationRow | undefined> {
  return selectViolations(query, organization).where('traffic_violations.id', '=', id).executeTakeFirst();
}

/** Reads one violation. @throws HttpError 404 */
export async function readTrafficViolation(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<ViolationRow> {
  const row = await findTrafficViolation(query, organization, id);
  if (row === undefined) throw notFound('Traffic violation', id);
  return row;
}

/**
 * Reads one violation for the endpoints of its payment slips and indications.
 *
 * @throws HttpError 404; 403 while the link of the violation's user is inactive (specification, Errors).
 */
export async function readAccessibleViolation(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<ViolationRow> {
  const violation = await readTrafficViolation(query, organization, id);
  const { user_id, user_status } = violation;
  if (user_id !== null && user_status !== null) requireActiveLink({ id: user_id, status: user_status });
  return violation;
}

/** The ids as one parameter: the statement has one text for any number of them, so it stays prepared. */
function valuesOf(ids: readonly number[]) {
  return sql<number>`(select value from json_each(${JSON.stringify(ids)}))`;
}

/** Reads the violations with these ids, ordered by id. */
export function readTrafficViolations(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
): Promise<ViolationRow[]> {
  return selectViolations(query, organization)
    .where('traffic_violations.id', 'in', valuesOf(ids))
    .orderBy('traffic_violations.id')
    .execute();
}

/**
 * Converts a row to the record that responses and webhooks carry (specification, Resources).
 *
 * @param today the day in Brazil, which decides what is still available.
 */
export function trafficViolationRecord(row: ViolationRow, today: string, audience: Audience) {
  return {
    id: row.id,
    ait: row.ait,
    code: row.code,
    breakdown: row.breakdown,
    license_plate: row.license_plate,
    description: row.description,
    status: row.status,
    payable: row.payable === 1,
    written_warning: row.written_warning === 1,
    renainf: row.renainf === 1,
    offender_type: row.offender_type,
    amount: row.amount,
    interest_amount: row.interest_amount,
    correction_amount: row.correction_amount,
    updated_amount: row.updated_amount,
    amount_updated_at: row.amount_updated_at,
    date: row.date,
    violation_notice_date: row.violation_notice_date,
    penalty_notice_date: row.penalty_notice_date,
    payment_date: row.payment_date,
    due_date: row.due_date,
    indication_deadline: row.indication_deadline,
    preliminary_appeal_deadline: row.preliminary_appeal_deadline,
    notice_appeal_deadline: row.notice_appeal_deadline,
    indication_availability: indicationUnavailableReason(row, today) === null,
    location: row.location,
    city: row.city,
    state: row.state,
    latitude: row.latitude,
    longitude: row.longitude,
    reference: {
      legal_basis: row.legal_basis,
      severity: row.severity,
      multiplier: row.multiplier,
      points: row.points,
    },
    user: row.user_id === null ? null : { id: row.user_id, external_uid: row.user_external_uid },
    company: companyOf(row, audience),
    agency: agencyOf(row),
    ticket_discount_availability: discountsOf(row, today),
  };
}

function companyOf(row: ViolationRow, audience: Audience) {
  const { company_id, company_name, company_tax_id, company_external_uid } = row;
  if (company_id === null || company_name === null || company_tax_id === null) return null;
  return companyReference({ company_id, company_name, company_tax_id, company_external_uid }, audience);
}

function agencyOf(row: ViolationRow) {
  if (row.agency_code === null) return null;
  return {
    code: row.agency_code,
    name: row.agency_name,
    sne_indications: row.agency_sne_indications === 1,
    sne_tickets: row.agency_sne_tickets === 1,
  };
}

function discountsOf(row: ViolationRow, today: string) {
  const { full, partial } = discountUnavailableReasons(row, today);
  return {
    full: full === null,
    partial: partial === null,
    full_unavailable_reason: full,
    partial_unavailable_reason: partial,
  };
}
