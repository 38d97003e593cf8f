import { date } from '../field/date.ts';
import { object } from '../field/object.ts';
import { personal } from '../field/personal.ts';
import { reais, recordId, text } from '../field/scalars.ts';
import { timestamp } from '../field/timestamp.ts';
import { companyReference } from './company-reference.ts';
import { slipStatus } from './slip-sets.ts';

const chargeReference = object({
  id: recordId.nullish().describe('Id of the charge.'),
  external_uid: text.nullish().describe("The agency's identifier."),
  code: text.nullish().describe("The agency's code."),
  description: text.nullish().describe('What is charged.'),
  due_date: date.nullish().describe('Last day to pay the charge.'),
  amount: reais.nullish().describe('Amount of the charge, in reais.'),
  company: companyReference.nullish().describe('The company that is charged.'),
});

/**
 * A payment slip of a charge (specification, Resources, Charge payment slip).
 * Unlike the other two families it has no payment method and no PIX code.
 */
export const chargePaymentSlip = object({
  id: recordId.describe('Unique id of the slip.'),
  status: slipStatus.describe('State of the request for the slip.'),
  amount: reais.nullish().describe('Amount to pay, in reais, when available.'),
  barcode: personal(text).nullish().describe('Digits to type or scan, when available.'),
  due_date: date.nullish().describe('Last day to pay the slip.'),
  status_reason: text.nullish().describe('Why it was rejected or failed.'),
  last_synced_at: timestamp.nullish().describe('When it was last read from the agency.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed: orders the events of a slip.'),
  charge: chargeReference.nullish().describe('The charge that it pays.'),
}).meta({ title: 'Charge payment slip' });
