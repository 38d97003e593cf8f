/** The routes of payment slips of traffic violations. */
import {
  ticketOfViolation,
  violationTicketEndpoints,
} from '../../src/contract/api/violation-ticket-endpoints.ts';
import { route } from '../http/route.ts';
import { readAccessibleViolation } from '../traffic-violations/traffic-violation.ts';
import { requestViolationTicket } from './change-violation-ticket.ts';
import { ticketFileAddress } from './violation-ticket-file.ts';
import { readAccessibleTicket, violationTickets } from './violation-ticket.ts';

/** The endpoints of payment slips of traffic violations (specification, Endpoints). */
export const violationTicketRoutes = [
  route(violationTicketEndpoints.list, (request, { query }) => violationTickets.page(query, request)),
  route(violationTicketEndpoints.read, async ({ organization, params }, { query }) => ({
    data: violationTickets.json(await readAccessibleTicket(query, organization, params.id), 'response'),
  })),
  route(violationTicketEndpoints.readFile, async ({ organization, params }, provider) => ({
    data: await ticketFileAddress(provider, organization, params.id),
  })),
  route(violationTicketEndpoints.listOf, async ({ organization, params }, { query }) => {
    await readAccessibleViolation(query, organization, params.id);
    const tickets = await violationTickets.of(query, organization, 'traffic_violation_id', params.id);
    return { data: tickets.map((ticket) => ticketOfViolation.parse(ticket)) };
  }),
  route(violationTicketEndpoints.request, async ({ organization, params, body }, provider) => {
    const { id, status } = await provider.change(organization, (change) =>
      requestViolationTicket(change, params.id, body?.discount),
    );
    return { data: { id, status } };
  }),
];
