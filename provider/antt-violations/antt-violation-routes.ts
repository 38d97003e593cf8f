/** The routes of ANTT violations and their payment slips. */
import {
  anttViolationEndpoints,
  requestedAnttTicket,
  ticketOfAnttViolation,
} from '../../src/contract/api/antt-violation-endpoints.ts';
import { route } from '../http/route.ts';
import { anttTickets } from './antt-ticket.ts';
import { anttViolations } from './antt-violation.ts';
import { requestAnttTicket } from './change-antt-violation.ts';

/** The endpoints of ANTT violations and their payment slips (specification, Endpoints). */
export const anttViolationRoutes = [
  route(anttViolationEndpoints.tickets.list, (request, { query }) => anttTickets.page(query, request)),
  route(anttViolationEndpoints.tickets.read, async ({ organization, params }, { query }) => ({
    data: await anttTickets.read(query, organization, params.id),
  })),
  route(anttViolationEndpoints.list, (request, { query }) => anttViolations.page(query, request)),
  route(anttViolationEndpoints.read, async ({ organization, params }, { query }) => ({
    data: await anttViolations.read(query, organization, params.id),
  })),
  route(anttViolationEndpoints.tickets.listOf, async ({ organization, params }, { query }) => {
    await anttViolations.row(query, organization, params.id);
    const tickets = await anttTickets.of(query, organization, 'antt_violation_id', params.id);
    return { data: tickets.map((ticket) => ticketOfAnttViolation.parse(ticket)) };
  }),
  route(anttViolationEndpoints.tickets.request, async ({ organization, params }, provider) => {
    const ticket = await provider.change(organization, (change) => requestAnttTicket(change, params.id));
    return { data: requestedAnttTicket.parse(ticket) };
  }),
];
