import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Condition } from '../../src/contract/api/filter.ts';
import { brazilianDay } from '../brazilian-day.ts';
import type { Page } from '../../src/contract/api/page.ts';
import { matching, type Comparison, type FilterColumns } from '../list/matching.ts';
import { readPage } from '../list/read-page.ts';
import { withinPeriod } from '../list/within-period.ts';
import type { Provider } from '../provider.ts';
import { indicationAvailability } from './indication-window.ts';
import { readTrafficViolations } from './read-traffic-violation.ts';
import { trafficViolationRecord } from './traffic-violation-record.ts';

/** A page of the organization's violations (specification, Endpoints, Traffic violations). */
export async function listTrafficViolations(
  { query, clock }: Pick<Provider, 'query' | 'clock'>,
  organization: number,
  conditions: readonly Condition[],
  page: Page,
) {
  const today = brazilianDay(clock.now());
  return readPage(
    query,
    {
      ids: query
        .selectFrom('traffic_violations')
        .select('id')
        .where('organization_id', '=', organization)
        .where(matching(conditions, columnsFor(organization, today))),
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
