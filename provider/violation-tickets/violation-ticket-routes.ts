import {
  ticketOfViolation,
  violationTicketEndpoints,
} from '../../src/contract/api/violation-ticket-endpoints.ts';
import { route } from '../http/route.ts';
import { readAccessibleViolation } from '../traffic-violations/accessible-violation.ts';
import { readAccessibleTicket } from './accessible-ticket.ts';
import { listViolationTickets } from './list-violation-tickets.ts';
import { readTicketsOfViolation, violationTicketRecord } from './read-violation-ticket.ts';
import { requestViolationTicket } from './request-violation-ticket.ts';
import { ticketFileAddress } from './violation-ticket-file.ts';

/** Specification, Endpoints, Traffic violation payment slips, and the slips below Traffic violations. */
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
