import {
  anttViolationEndpoints,
  requestedAnttTicket,
  ticketOfAnttViolation,
} from '../../src/contract/api/antt-violation-endpoints.ts';
import { route } from '../http/route.ts';
import { readPage } from '../list/read-page.ts';
import { readAnttTicket, readAnttTickets, readTicketsOfAnttViolation } from './read-antt-ticket.ts';
import { readAnttViolation, readAnttViolations } from './read-antt-violation.ts';
import { requestAnttTicket } from './change-antt-ticket.ts';
import type { Kysely } from 'kysely';
import type { Condition } from '../../src/contract/api/filter.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { matching } from '../list/matching.ts';

/** The endpoints of ANTT violations and their payment slips (specification, Endpoints). */
export const anttViolationRoutes = [
  route(anttViolationEndpoints.listTickets, ({ organization, conditions, page }, { query, lists }) =>
    readPage(
      lists,
      {
        organization,
        ...listAnttTicketIds(query, organization, conditions),
        rows: (ids) => readAnttTickets(query, organization, ids),
      },
      page,
    ),
  ),
  route(anttViolationEndpoints.readTicket, async ({ organization, params }, { query }) => ({
    data: await readAnttTicket(query, organization, params.id),
  })),
  route(anttViolationEndpoints.list, ({ organization, conditions, page }, { query, lists }) =>
    readPage(
      lists,
      {
        organization,
        ...listAnttViolationIds(query, organization, conditions),
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

/** Joins companies only for filters that need them: each join costs a lookup per record. */
const needsCompany = (conditions: readonly Condition[]) =>
  conditions.some(({ field }) => field === 'company.external_uid' || field === 'company.tax_id');

/** Selects the ids of the violations that match, with the tables that the query reads. */
function listAnttViolationIds(
  query: Kysely<ProviderTables>,
  organization: number,
  conditions: readonly Condition[],
) {
  const withCompany = needsCompany(conditions);
  return {
    ids: query
      .selectFrom('antt_violations')
      .$if(withCompany, (some) => some.leftJoin('companies', 'companies.id', 'antt_violations.company_id'))
      .select('antt_violations.id')
      .where('antt_violations.organization_id', '=', organization)
      .where(matching(conditions, violationColumns)),
    tables: withCompany ? ['antt_violations', 'companies'] : ['antt_violations'],
  };
}

/** Selects the ids of the payment slips that match, with the tables that the query reads. */
function listAnttTicketIds(
  query: Kysely<ProviderTables>,
  organization: number,
  conditions: readonly Condition[],
) {
  const withCompany = needsCompany(conditions);
  return {
    ids: query
      .selectFrom('antt_violation_tickets')
      .$if(withCompany, (some) =>
        some
          .innerJoin('antt_violations', 'antt_violations.id', 'antt_violation_tickets.antt_violation_id')
          .leftJoin('companies', 'companies.id', 'antt_violations.company_id'),
      )
      .select('antt_violation_tickets.id')
      .where('antt_violation_tickets.organization_id', '=', organization)
      .where(matching(conditions, ticketColumns)),
    tables: withCompany
      ? ['antt_violation_tickets', 'antt_violations', 'companies']
      : ['antt_violation_tickets'],
  };
}
