import { sql, type SqlBool } from 'kysely';
import type { Condition } from '../../src/contract/api/filter.ts';
import type { Page } from '../../src/contract/api/page.ts';
import { matching } from '../list/matching.ts';
import { readPage } from '../list/read-page.ts';
import type { Provider } from '../provider.ts';
import { readViolationTickets } from './read-violation-ticket.ts';

const columns = {
  status: 'traffic_violation_tickets.status',
  discount: 'traffic_violation_tickets.discount',
  payment_method: 'traffic_violation_tickets.payment_method',
  due_date: 'traffic_violation_tickets.due_date',
};

/** A page of the slips of all violations, but for those of users whose link is inactive. */
export async function listViolationTickets(
  { query }: Pick<Provider, 'query'>,
  organization: number,
  conditions: readonly Condition[],
  page: Page,
) {
  // Found once, not for each slip: few links are inactive.
  const hidden = query
    .selectFrom('users')
    .innerJoin('traffic_violations', 'traffic_violations.user_id', 'users.id')
    .select('traffic_violations.id')
    .where('users.organization_id', '=', organization)
    .where('users.status', '=', 'inactive');
  return readPage(
    query,
    {
      ids: query
        .selectFrom('traffic_violation_tickets')
        .select('id')
        .where('organization_id', '=', organization)
        .where(matching(conditions, columns))
        .where(sql<SqlBool>`traffic_violation_id not in ${hidden}`),
      rows: (ids) => readViolationTickets(query, organization, ids),
    },
    page,
  );
}
