/** The routes of ANTT violations and their payment slips. */
import type { Kysely } from 'kysely';
import {
  anttViolationEndpoints,
  requestedAnttTicket,
  ticketOfAnttViolation,
} from '../../src/contract/api/antt-violation-endpoints.ts';
import type { Condition } from '../../src/contract/api/filter.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { route } from '../http/route.ts';
import { matching } from '../list/matching.ts';
import { readPage } from '../list/read-page.ts';
import { requestAnttTicket } from './change-antt-ticket.ts';
import { readAnttTicket, readAnttTickets, readTicketsOfAnttViolation } from './read-antt-ticket.ts';
import { readAnttViolation, readAnttViolations } from './read-antt-violation.ts';

const violationColumns = {
  date: 'antt_violations.date',
  due_date: 'antt_violations.due_date',
  penalty_notice_date: 'antt_violations.penalty_notice_date',
  status: 'antt_violations.status',
  type: 'antt_violations.type',
  license_plate: 'antt_violations.license_plate',
  'company.external_uid': 'companies.external_uid',
  'company.id': 'antt_violations.company_id',
  'company.tax_id': 'companies.tax_id',
};

const ticketColumns = {
  status: 'antt_violation_tickets.status',
  due_date: 'antt_violation_tickets.due_date',
  'company.external_uid': 'companies.external_uid',
};

/** The endpoints of ANTT violations and their payment slips (specification, Endpoints). */
export const anttViolationRoutes = [
  route(anttViolationEndpoints.listTickets, ({ organization, conditions, page }, { query }) =>
    readPage(
      query,
      {
        ids: selectTicketIds(query, organization, conditions),
        rows: (ids) => readAnttTickets(query, organization, ids),
      },
      page,
    ),
  ),
  route(anttViolationEndpoints.readTicket, async ({ organization, params }, { query }) => ({
    data: await readAnttTicket(query, organization, params.id),
  })),
  route(anttViolationEndpoints.list, ({ organization, conditions, page }, { query }) =>
    readPage(
      query,
      {
        ids: selectViolationIds(query, organization, conditions),
        rows: (ids) => readAnttViolations(query, organization, ids),
      },
      page,
    ),
  ),
  route(anttViolationEndpoints.read, async ({ organization, params }, { query }) => ({
    data: await readAnttViolation(query, organization, params.id),
  })),
  route(anttViolationEndpoints.listTicketsOfViolation, async ({ organization, params }, { query }) => {
    await readAnttViolation(query, organization, params.id);
    const tickets = await readTicketsOfAnttViolation(query, organization, params.id);
    return { data: tickets.map((ticket) => ticketOfAnttViolation.parse(ticket)) };
  }),
  route(anttViolationEndpoints.requestTicket, async ({ organization, params }, provider) => {
    const ticket = await provider.change(organization, (change) => requestAnttTicket(change, params.id));
    return { data: requestedAnttTicket.parse(ticket) };
  }),
];

/** Whether to join companies: only some filters need them, and the join costs a lookup per record. */
const needsCompany = (conditions: readonly Condition[]) =>
  conditions.some(({ field }) => field === 'company.external_uid' || field === 'company.tax_id');

function selectViolationIds(
  query: Kysely<ProviderTables>,
  organization: number,
  conditions: readonly Condition[],
) {
  return query
    .selectFrom('antt_violations')
    .$if(needsCompany(conditions), (violations) =>
      violations.leftJoin('companies', 'companies.id', 'antt_violations.company_id'),
    )
    .select('antt_violations.id')
    .where('antt_violations.organization_id', '=', organization)
    .where(matching(conditions, violationColumns));
}

function selectTicketIds(
  query: Kysely<ProviderTables>,
  organization: number,
  conditions: readonly Condition[],
) {
  return query
    .selectFrom('antt_violation_tickets')
    .$if(needsCompany(conditions), (tickets) =>
      tickets
        .innerJoin('antt_violations', 'antt_violations.id', 'antt_violation_tickets.antt_violation_id')
        .leftJoin('companies', 'companies.id', 'antt_violations.company_id'),
    )
    .select('antt_violation_tickets.id')
    .where('antt_violation_tickets.organization_id', '=', organization)
    .where(matching(conditions, ticketColumns));
}
