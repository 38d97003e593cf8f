import { date } from '../field/date.ts';
import { object } from '../field/object.ts';
import { personal } from '../field/personal.ts';
import { reais, recordId, text } from '../field/scalars.ts';
import { timestamp } from '../field/timestamp.ts';
import { paymentMethod, slipStatus } from './slip-sets.ts';

const violationReference = object({
  id: recordId.nullish().describe('Id of the violation.'),
  external_uid: text.nullish().describe("The agency's identifier."),
  code: text.nullish().describe("The agency's code."),
  description: text.nullish().describe('What was found.'),
  due_date: date.nullish().describe('Last day to pay the violation.'),
});

/** A payment slip of an ANTT violation (specification, Resources, ANTT violation payment slip). */
export const anttViolationTicket = object({
  id: recordId.describe('Unique id of the slip.'),
  status: slipStatus.describe('State of the request for the slip.'),
  amount: reais.nullish().describe('Amount to pay, in reais, when available.'),
  barcode: personal(text).nullish().describe('Digits to type or scan, when available.'),
  payment_method: paymentMethod.nullish().describe('How it is paid.'),
  pix: personal(text).nullish().describe('Copy-and-paste code; only with payment method pix.'),
  due_date: date.nullish().describe('Last day to pay the slip.'),
  status_reason: text.nullish().describe('Why it was rejected or failed.'),
  synced_at: timestamp.nullish().describe('When it was last read from the agency.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed: orders the events of a slip.'),
  antt_violation: violationReference.nullish().describe('The violation that it pays.'),
}).meta({ title: 'ANTT violation payment slip' });
