/** The record of traffic violations, as responses and webhooks carry it. */
import { companyReferenceColumns, companyTable, optionalCompanyReference } from '../companies/company.ts';
import { shown } from '../database/table.ts';
import { notFound } from '../http/http-error.ts';
import { type Audience, type Connection, records, type RowOf } from '../list/records.ts';
import { requireActiveLink, userTable } from '../users/user.ts';
import { discountUnavailableReasons, indicationUnavailableReason } from './availability.ts';
import { agencyTable, trafficViolationTable } from './traffic-violation-tables.ts';

/** The rows of violations: {@link trafficViolationRecord} depends on the day. */
export const trafficViolations = records({
  tables: [trafficViolationTable, companyTable, userTable, agencyTable],
  missing: (id) => notFound('Traffic violation', id),
  select: (query) =>
    query
      .selectFrom('traffic_violations')
      .leftJoin('companies', 'companies.id', 'traffic_violations.company_id')
      .leftJoin('users', 'users.id', 'traffic_violations.user_id')
      .leftJoin('agencies', (join) =>
        join
          .onRef('agencies.organization_id', '=', 'traffic_violations.organization_id')
          .onRef('agencies.code', '=', 'traffic_violations.agency_code'),
      )
      .selectAll('traffic_violations')
      .select([
        ...companyReferenceColumns,
        'users.external_uid as user_external_uid',
        'users.status as user_status',
        'agencies.name as agency_name',
        'agencies.sne_indications as agency_sne_indications',
        'agencies.sne_tickets as agency_sne_tickets',
      ]),
  json: (row) => row,
});

/** A traffic violation, joined with its company, user and agency. */
export type ViolationRow = RowOf<typeof trafficViolations>;

/**
 * Reads one violation for the endpoints of its payment slips and indications.
 *
 * @throws HttpError 404; 403 while the link of the violation's user is inactive (specification, Errors).
 */
export async function readAccessibleViolation(
  query: Connection,
  organization: number,
  id: number,
): Promise<ViolationRow> {
  const violation = await trafficViolations.row(query, organization, id);
  const { user_id, user_status } = violation;
  if (user_id !== null && user_status !== null) requireActiveLink({ id: user_id, status: user_status });
  return violation;
}

/**
 * Converts a row to the record that responses and webhooks carry (specification, Resources).
 *
 * @param today the day in Brazil, which decides what is still available.
 */
export function trafficViolationRecord(row: ViolationRow, today: string, audience: Audience) {
  return {
    // A field that stands again below keeps its place.
    ...shown(trafficViolationTable, row),
    payable: row.payable === 1,
    written_warning: row.written_warning === 1,
    renainf: row.renainf === 1,
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
    company: optionalCompanyReference(row, audience),
    agency: agencyOf(row),
    ticket_discount_availability: discountsOf(row, today),
  };
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
