/** The endpoints of payment slips of traffic violations. */
import { z } from 'zod';
import { closedSet } from '../field/schemas.ts';
import { expected } from '../field/expected.ts';
import { trafficViolationTicket } from '../record/traffic-violation.ts';
import { paymentMethod, slipStatus } from '../record/payment-slip.ts';
import { fileResponse, one, pageOf, several } from './response.ts';
import { endpointsOf } from './endpoint.ts';
import { dateValue, filterBy, ordering, valueAmong } from './filter.ts';

const endpoint = endpointsOf('Traffic violation payment slips');
const ofViolation = endpointsOf('Traffic violations');
const inactiveLink = "The link of the violation's user with the organization is inactive.";
const noTicket = 'There is no such payment slip.';
const noViolation = 'There is no such violation.';

/** A slip in the list of one violation (specification, Resources, Traffic violation payment slip). */
export const ticketOfViolation = z.object(
  trafficViolationTicket.pick({
    id: true,
    status: true,
    amount: true,
    barcode: true,
    due_date: true,
    payment_method: true,
    pix: true,
  }).shape,
);

/** Specification, Endpoints, Traffic violation payment slips, and the slips below Traffic violations. */
export const violationTicketEndpoints = {
  list: endpoint({
    operationId: 'listTrafficViolationTickets',
    summary: 'Payment slips of all traffic violations',
    path: '/v1/traffic-violations/tickets',
    filters: {
      status: filterBy(valueAmong(slipStatus.options), ['$eq']),
      discount: filterBy(valueAmong(['full', 'partial', 'none']), ['$eq']),
      payment_method: filterBy(valueAmong(paymentMethod.options), ['$eq']),
      due_date: filterBy(dateValue, ordering),
    },
    response: {
      status: 200,
      description: 'A page of payment slips.',
      schema: pageOf(trafficViolationTicket),
    },
  }),
  listOf: ofViolation({
    operationId: 'listTicketsOfTrafficViolation',
    summary: 'Payment slips of a traffic violation',
    path: '/v1/traffic-violations/{id}/tickets',
    response: { status: 200, description: 'The payment slips.', schema: several(ticketOfViolation) },
    errors: { 403: inactiveLink, 404: noViolation },
  }),
  read: endpoint({
    operationId: 'readTrafficViolationTicket',
    summary: 'One payment slip of a traffic violation',
    path: '/v1/traffic-violations/tickets/{id}',
    response: { status: 200, description: 'The payment slip.', schema: one(trafficViolationTicket) },
    errors: { 403: inactiveLink, 404: noTicket },
  }),
  readFile: endpoint({
    operationId: 'readTrafficViolationTicketFile',
    summary: 'Address of a payment slip, valid for 15 minutes',
    path: '/v1/traffic-violations/tickets/{id}/file',
    response: fileResponse,
    errors: { 403: inactiveLink, 404: 'There is no such payment slip, or it is not issued.' },
  }),
  request: ofViolation({
    operationId: 'requestTrafficViolationTicket',
    summary: 'Request a payment slip of a traffic violation',
    method: 'post',
    path: '/v1/traffic-violations/{id}/tickets',
    body: z
      .object(
        {
          discount: closedSet(['full', 'partial'])
            .optional()
            .describe('full: 40 %. partial: 20 %. Ignored once the discount is not available any more.'),
        },
        { error: expected('an object') },
      )
      .optional(),
    response: {
      status: 201,
      description: 'The payment slip is requested. Events report its progress.',
      schema: one(z.object(trafficViolationTicket.pick({ id: true, status: true }).shape)),
    },
    errors: {
      403: inactiveLink,
      404: noViolation,
      409: 'The violation has a payment slip.',
      422: 'The violation is not available for payment.',
    },
  }),
};
