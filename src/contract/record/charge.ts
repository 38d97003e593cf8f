/** Schemas of charges and their payment slips. */
import { object, openSet, personal, reais, recordId, string } from '../field/schemas.ts';
import { date, timestamp } from '../field/time.ts';
import { companyReference } from './company.ts';
import { slipStatus } from './payment-slip.ts';

/** A generic charge (specification, Resources, Charge). It has no time of its last change to order its events. */
export const charge = object({
  id: recordId.describe('Unique id of the charge.'),
  external_uid: string.nullish().describe("The agency's identifier."),
  code: string.nullish().describe("The agency's code."),
  key: string.nullish().describe('Key of the proceedings.'),
  description: string.nullish().describe('Description of the charge.'),
  date: date.nullish().describe('Day of the charge.'),
  due_date: date.nullish().describe('Last day to pay.'),
  agency: string.nullish().describe('The charging agency, for example antt or detran.'),
  type: openSet(['fine', 'fee', 'tax']).describe('Type of the charge.'),
  status: openSet(['pending', 'paid', 'overdue']).describe('State of the charge.'),
  amount: reais.nullish().describe('Amount to pay, in reais.'),
  company: companyReference.nullish().describe('The company that is charged.'),
}).meta({ title: 'Charge' });

const chargeReference = object({
  id: recordId.nullish().describe('Id of the charge.'),
  external_uid: string.nullish().describe("The agency's identifier."),
  code: string.nullish().describe("The agency's code."),
  description: string.nullish().describe('Description of the charge.'),
  due_date: date.nullish().describe('Last day to pay the charge.'),
  amount: reais.nullish().describe('Amount of the charge, in reais.'),
  company: companyReference.nullish().describe('The company that is charged.'),
});

/**
 * A payment slip of a charge (specification, Resources, Charge payment slip). Unlike slips of violations it has
 * no payment method and no PIX code.
 */
export const chargePaymentSlip = object({
  id: recordId.describe('Unique id of the slip.'),
  status: openSet(slipStatus).describe('State of the request for the slip.'),
  amount: reais.nullish().describe('Amount to pay, in reais, when available.'),
  barcode: personal(string).nullish().describe('Digits to type or scan, when available.'),
  due_date: date.nullish().describe('Last day to pay the slip.'),
  status_reason: string.nullish().describe('Why it was rejected or failed.'),
  last_synced_at: timestamp.nullish().describe('When it was last read from the agency.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed: orders the events of a slip.'),
  charge: chargeReference.nullish().describe('The charge that the slip pays.'),
}).meta({ title: 'Charge payment slip' });
