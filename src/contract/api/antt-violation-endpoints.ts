/** The endpoints of ANTT violations. */
import { z } from 'zod';
import {
  anttViolation,
  anttViolationStatuses,
  anttViolationTicket,
  anttViolationTypes,
} from '../record/antt-violation.ts';
import { slipStatus } from '../record/payment-slip.ts';
import { one, pageOf, several } from './response.ts';
import { endpointsOf } from './endpoint.ts';
import { dateValue, equality, filterBy, idValue, ordering, stringValue, valueAmong } from './filter.ts';

const endpoint = endpointsOf('ANTT violations');
const noViolation = 'There is no such violation.';

/** A slip in the list of one violation, without the violation (specification, Resources, ANTT violation payment slip). */
export const ticketOfAnttViolation = z.object(anttViolationTicket.omit({ antt_violation: true }).shape);

/** The response to the request of a slip (specification, Resources, ANTT violation payment slip). */
export const requestedAnttTicket = z.object(
  anttViolationTicket.pick({
    id: true,
    status: true,
    amount: true,
    barcode: true,
    payment_method: true,
    pix: true,
    due_date: true,
  }).shape,
);

/** Specification, Endpoints, ANTT violations and their payment slips. */
export const anttViolationEndpoints = {
  list: endpoint({
    operationId: 'listAnttViolations',
    summary: 'ANTT violations of the organization',
    path: '/v1/antt/violations',
    filters: {
      date: filterBy(dateValue, ordering),
      due_date: filterBy(dateValue, ordering),
      penalty_notice_date: filterBy(dateValue, ordering),
      status: filterBy(valueAmong(anttViolationStatuses), equality),
      type: filterBy(valueAmong(anttViolationTypes), equality),
      license_plate: filterBy(stringValue, equality),
      'company.external_uid': filterBy(stringValue, equality),
      'company.id': filterBy(idValue, equality),
      'company.tax_id': filterBy(stringValue, equality),
    },
    response: { status: 200, description: 'A page of violations.', schema: pageOf(anttViolation) },
  }),
  read: endpoint({
    operationId: 'readAnttViolation',
    summary: 'One ANTT violation',
    path: '/v1/antt/violations/{id}',
    response: { status: 200, description: 'The violation.', schema: one(anttViolation) },
    errors: { 404: noViolation },
  }),
  tickets: {
    list: endpoint({
      operationId: 'listAnttTickets',
      summary: 'Payment slips of all ANTT violations',
      path: '/v1/antt/violations/tickets',
      filters: {
        status: filterBy(valueAmong(slipStatus.options), equality),
        due_date: filterBy(dateValue, ordering),
        'company.external_uid': filterBy(stringValue, equality),
      },
      response: { status: 200, description: 'A page of payment slips.', schema: pageOf(anttViolationTicket) },
    }),
    listOf: endpoint({
      operationId: 'listTicketsOfAnttViolation',
      summary: 'Payment slips of an ANTT violation',
      path: '/v1/antt/violations/{id}/tickets',
      response: { status: 200, description: 'The payment slips.', schema: several(ticketOfAnttViolation) },
      errors: { 404: noViolation },
    }),
    read: endpoint({
      operationId: 'readAnttTicket',
      summary: 'One payment slip of an ANTT violation',
      path: '/v1/antt/violations/tickets/{id}',
      response: { status: 200, description: 'The payment slip.', schema: one(anttViolationTicket) },
      errors: { 404: 'There is no such payment slip.' },
    }),
    request: endpoint({
      operationId: 'requestAnttTicket',
      summary: 'Request a payment slip of an ANTT violation',
      method: 'post',
      path: '/v1/antt/violations/{id}/tickets',
      response: {
        status: 201,
        description: 'The payment slip is requested. Events report its progress.',
        schema: one(requestedAnttTicket),
      },
      errors: {
        404: noViolation,
        409: 'The violation has an active payment slip.',
        422: 'The violation has no company.',
      },
    }),
  },
};
