/** The routes of traffic violations and their notices. */
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { trafficViolationEndpoints } from '../../src/contract/api/traffic-violation-endpoints.ts';
import { brazilianDay } from '../brazilian-day.ts';
import { HttpError } from '../http/http-error.ts';
import { route } from '../http/route.ts';
import { matching, withinPeriod, type Comparison, type FilterColumns } from '../list/matching.ts';
import { readPage } from '../list/read-page.ts';
import { indicationAvailability } from './availability.ts';
import { trafficViolationRecord, trafficViolations } from './traffic-violation.ts';
import { noticeAddress } from './violation-notices.ts';

/**
 * The endpoints of traffic violations (specification, Endpoints). The folders
 * violation-tickets and indications have those of payment slips and indications.
 */
export const trafficViolationRoutes = [
  route(trafficViolationEndpoints.list, ({ organization, conditions, page }, { query, clock }) => {
    const today = brazilianDay(clock.now());
    const ids = query
      .selectFrom('traffic_violations')
      .select('id')
      .where('organization_id', '=', organization)
      .where(matching(conditions, columnsFor(organization, today)));
    const rows = async (found: readonly number[]) =>
      (await trafficViolations.rows(query, organization, 'id', found)).map((row) =>
        trafficViolationRecord(row, today, 'response'),
      );
    return readPage(query, { ids, inOrder: conditions.length === 0, rows }, page);
  }),
  route(trafficViolationEndpoints.read, async ({ organization, params }, { query, clock }) => {
    const row = await trafficViolations.find(query, organization, params.id);
    // The error has a localized label and no message (specification, Errors).
    if (row === undefined) throw new HttpError(404, '', 'Infração não encontrada');
    return { data: trafficViolationRecord(row, brazilianDay(clock.now()), 'response') };
  }),
  route(trafficViolationEndpoints.violationNotice.read, async ({ organization, params }, provider) => ({
    data: await noticeAddress(provider, organization, 'violation-notice', params.id),
  })),
  route(trafficViolationEndpoints.penaltyNotice.read, async ({ organization, params }, provider) => ({
    data: await noticeAddress(provider, organization, 'penalty-notice', params.id),
  })),
];

function columnsFor(organization: number, today: string): FilterColumns {
  return {
    date: withinPeriod('traffic_violations.date'),
    due_date: 'traffic_violations.due_date',
    license_plate: 'traffic_violations.license_plate',
    status: 'traffic_violations.status',
    'company.id': 'traffic_violations.company_id',
    'company.external_uid': byOwner('companies', 'company_id', organization),
    'user.id': 'traffic_violations.user_id',
    'user.external_uid': byOwner('users', 'user_id', organization),
    'agency.code': 'traffic_violations.agency_code',
    offender_type: 'traffic_violations.offender_type',
    indication_availability: indicationAvailability(today),
  };
}

/** Compares the `external_uid` of an owner. A subquery, because a join would cost a lookup per violation. */
function byOwner(
  table: 'companies' | 'users',
  column: 'company_id' | 'user_id',
  organization: number,
): Comparison {
  const ownerId = sql.ref(`traffic_violations.${column}`);
  const owners = (condition: RawBuilder<SqlBool>) =>
    sql`(select id from ${sql.table(table)} where organization_id = ${organization} and ${condition})`;
  return ({ operator, value }) => {
    if (operator === '$eq') return sql`${ownerId} in ${owners(sql`external_uid = ${value}`)}`;
    return sql`(${ownerId} is null or ${ownerId} in ${owners(sql`external_uid is not ${value}`)})`;
  };
}
