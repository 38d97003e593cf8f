import { trafficViolationEndpoints } from '../../src/contract/api/traffic-violation-endpoints.ts';
import { brazilianDay } from '../brazilian-day.ts';
import { Refusal } from '../http/refusal.ts';
import { route } from '../http/route.ts';
import {
  findTrafficViolation,
  trafficViolationRecord,
  readTrafficViolations,
} from './read-traffic-violation.ts';
import { noticeAddress } from './violation-notices.ts';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Condition } from '../../src/contract/api/filter.ts';
import type { Page } from '../../src/contract/api/page.ts';
import { matching, type Comparison, type FilterColumns } from '../list/matching.ts';
import { readPage } from '../list/read-page.ts';
import { withinPeriod } from '../list/within-period.ts';
import type { Provider } from '../provider.ts';
import { indicationAvailability } from './availability.ts';

/** Specification, Endpoints, Traffic violations; their payment slips have a folder of their own. */
export const trafficViolationRoutes = [
  route(trafficViolationEndpoints.list, ({ organization, conditions, page }, provider) =>
    listTrafficViolations(provider, organization, conditions, page),
  ),
  route(trafficViolationEndpoints.read, async ({ organization, params }, { query, clock }) => {
    const row = await findTrafficViolation(query, organization, params.id);
    // Only a label, and a localized one (specification, Errors).
    if (row === undefined) throw new Refusal(404, '', 'Infração não encontrada');
    return { data: trafficViolationRecord(row, brazilianDay(clock.now()), 'answer') };
  }),
  route(trafficViolationEndpoints.readViolationNotice, async ({ organization, params }, provider) => ({
    data: await noticeAddress(provider, organization, 'violation-notice', params.id),
  })),
  route(trafficViolationEndpoints.readPenaltyNotice, async ({ organization, params }, provider) => ({
    data: await noticeAddress(provider, organization, 'penalty-notice', params.id),
  })),
];

/** A page of the organization's violations (specification, Endpoints, Traffic violations). */
export async function listTrafficViolations(
  { query, lists, clock }: Pick<Provider, 'query' | 'lists' | 'clock'>,
  organization: number,
  conditions: readonly Condition[],
  page: Page,
) {
  const today = brazilianDay(clock.now());
  const owners = (['companies', 'users'] as const).filter((table) =>
    conditions.some(({ field }) => field === `${ownerField(table)}.external_uid`),
  );
  return readPage(
    lists,
    {
      organization,
      ids: query
        .selectFrom('traffic_violations')
        .select('id')
        .where('organization_id', '=', organization)
        .where(matching(conditions, columnsFor(organization, today))),
      tables: ['traffic_violations', ...owners],
      rows: async (ids) =>
        (await readTrafficViolations(query, organization, ids)).map((row) =>
          trafficViolationRecord(row, today, 'answer'),
        ),
    },
    page,
  );
}

function columnsFor(organization: number, today: string): FilterColumns {
  return {
    date: withinPeriod('traffic_violations.date'),
    due_date: 'traffic_violations.due_date',
    license_plate: 'traffic_violations.license_plate',
    status: 'traffic_violations.status',
    'company.id': 'traffic_violations.company_id',
    'company.external_uid': ownedBy('companies', organization),
    'user.id': 'traffic_violations.user_id',
    'user.external_uid': ownedBy('users', organization),
    'agency.code': 'traffic_violations.agency_code',
    offender_type: 'traffic_violations.offender_type',
    indication_availability: indicationAvailability(today),
  };
}

/**
 * By an owner's `external_uid`, with the owners found first: a join would look
 * one up for each violation.
 */
function ownedBy(table: 'companies' | 'users', organization: number): Comparison {
  const column = sql.ref(`traffic_violations.${ownerField(table)}_id`);
  const owners = (condition: RawBuilder<SqlBool>) =>
    sql`(select id from ${sql.table(table)} where organization_id = ${organization} and ${condition})`;
  return ({ operator, value }) => {
    if (operator === '$eq') return sql`${column} in ${owners(sql`external_uid = ${value}`)}`;
    return sql`(${column} is null or ${column} in ${owners(sql`external_uid is not ${value}`)})`;
  };
}

function ownerField(table: 'companies' | 'users'): 'company' | 'user' {
  return table === 'companies' ? 'company' : 'user';
}
