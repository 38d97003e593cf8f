/** The endpoints of charges. */
import { z } from 'zod';
import { charge, chargePaymentSlip } from '../record/charge.ts';
import { slipStatus } from '../record/payment-slip.ts';
import { one, pageOf, several } from './response.ts';
import { endpointsOf } from './endpoint.ts';
import { dateValue, equality, filterBy, ordering, stringValue, valueAmong } from './filter.ts';

const endpoint = endpointsOf('Charges');
const noCharge = 'There is no such charge.';

/** A slip in the list of one charge, without the charge (specification, Resources, Charge payment slip). */
export const slipOfCharge = z.object(chargePaymentSlip.omit({ charge: true }).shape);

/** Specification, Endpoints, Charges and their payment slips. */
export const chargeEndpoints = {
  list: endpoint({
    operationId: 'listCharges',
    summary: 'Charges of the organization',
    path: '/v1/charges',
    filters: {
      date: filterBy(dateValue, ordering),
      due_date: filterBy(dateValue, ordering),
      status: filterBy(valueAmong(['pending', 'paid', 'overdue']), equality),
      type: filterBy(valueAmong(['fine', 'fee', 'tax']), equality),
      agency: filterBy(stringValue, equality),
      'company.external_uid': filterBy(stringValue, equality),
    },
    response: { status: 200, description: 'A page of charges.', schema: pageOf(charge) },
  }),
  read: endpoint({
    operationId: 'readCharge',
    summary: 'One charge',
    path: '/v1/charges/{id}',
    response: { status: 200, description: 'The charge.', schema: one(charge) },
    errors: { 404: noCharge },
  }),
  paymentSlips: {
    list: endpoint({
      operationId: 'listChargePaymentSlips',
      summary: 'Payment slips of all charges',
      path: '/v1/charges/payment-slips',
      filters: {
        status: filterBy(valueAmong(slipStatus.options), equality),
        due_date: filterBy(dateValue, ordering),
        agency: filterBy(stringValue, equality),
      },
      response: { status: 200, description: 'A page of payment slips.', schema: pageOf(chargePaymentSlip) },
    }),
    listOf: endpoint({
      operationId: 'listPaymentSlipsOfCharge',
      summary: 'Payment slips of a charge',
      path: '/v1/charges/{id}/payment-slips',
      response: { status: 200, description: 'The payment slips.', schema: several(slipOfCharge) },
      errors: { 404: noCharge },
    }),
    request: endpoint({
      operationId: 'requestChargePaymentSlip',
      summary: 'Request a payment slip of a charge',
      method: 'post',
      path: '/v1/charges/{id}/payment-slips',
      response: {
        status: 201,
        description: 'The payment slip is requested. Events report its progress.',
        schema: one(z.object(chargePaymentSlip.pick({ id: true, status: true, due_date: true }).shape)),
      },
      errors: {
        404: noCharge,
        409: 'The charge has a payment slip.',
        422: 'The charge is neither pending nor overdue.',
      },
    }),
  },
};
