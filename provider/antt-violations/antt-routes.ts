import {
  anttViolationEndpoints,
  requestedAnttTicket,
  ticketOfAnttViolation,
} from '../../src/contract/api/antt-violation-endpoints.ts';
import { route } from '../http/route.ts';
import { listAnttTicketIds, listAnttViolationIds } from './list-antt.ts';
import { readPage } from '../list/read-page.ts';
import { readAnttTicket, readAnttTickets, readTicketsOfAnttViolation } from './read-antt-ticket.ts';
import { readAnttViolation, readAnttViolations } from './read-antt-violation.ts';
import { requestAnttTicket } from './request-antt-ticket.ts';

/** Specification, Endpoints, ANTT violations and their payment slips. */
export const anttRoutes = [
  route(anttViolationEndpoints.listTickets, ({ organization, conditions, page }, { query }) =>
    readPage(
      query,
      {
        ...listAnttTicketIds(query, organization, conditions),
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
