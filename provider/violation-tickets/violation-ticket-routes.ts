/** The routes of payment slips of traffic violations. */
import { sql, type SqlBool } from 'kysely';
import type { Condition } from '../../src/contract/api/filter.ts';
import type { Page } from '../../src/contract/api/page.ts';
import {
  ticketOfViolation,
  violationTicketEndpoints,
} from '../../src/contract/api/violation-ticket-endpoints.ts';
import { route } from '../http/route.ts';
import { matching } from '../list/matching.ts';
import { readPage } from '../list/read-page.ts';
import type { Provider } from '../provider.ts';
import { readAccessibleViolation } from '../traffic-violations/read-traffic-violation.ts';
import { requestViolationTicket } from './change-violation-ticket.ts';
import {
  readAccessibleTicket,
  readTicketsOfViolation,
  readViolationTickets,
  violationTicketRecord,
} from './read-violation-ticket.ts';
import { ticketFileAddress } from './violation-ticket-file.ts';

/** The endpoints of payment slips of traffic violations (specification, Endpoints). */
export const violationTicketRoutes = [
  route(violationTicketEndpoints.list, ({ organization, conditions, page }, provider) =>
    listViolationTickets(provider, organization, conditions, page),
  ),
  route(violationTicketEndpoints.read, async ({ organization, params }, { query }) => ({
    data: violationTicketRecord(await readAccessibleTicket(query, organization, params.id)),
  })),
  route(violationTicketEndpoints.readFile, async ({ organization, params }, provider) => ({
    data: await ticketFileAddress(provider, organization, params.id),
  })),
  route(violationTicketEndpoints.listOfViolation, async ({ organization, params }, { query }) => {
    await readAccessibleViolation(query, organization, params.id);
    const tickets = await readTicketsOfViolation(query, organization, params.id);
    return { data: tickets.map((ticket) => ticketOfViolation.parse(ticket)) };
  }),
  route(violationTicketEndpoints.request, async ({ organization, params, body }, provider) => {
    const { id, status } = await provider.change(organization, (change) =>
      requestViolationTicket(change, params.id, body?.discount),
    );
    return { data: { id, status } };
  }),
];

const filterColumns = {
  status: 'traffic_violation_tickets.status',
  discount: 'traffic_violation_tickets.discount',
  payment_method: 'traffic_violation_tickets.payment_method',
  due_date: 'traffic_violation_tickets.due_date',
};

/** Reads a page of the slips, without those of users whose link is inactive. */
async function listViolationTickets(
  { query }: Pick<Provider, 'query'>,
  organization: number,
  conditions: readonly Condition[],
  page: Page,
) {
  // A subquery that runs once: few links are inactive.
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
        .where(matching(conditions, filterColumns))
        .where(sql<SqlBool>`traffic_violation_id not in ${hidden}`),
      rows: (ids) => readViolationTickets(query, organization, ids),
    },
    page,
  );
}
