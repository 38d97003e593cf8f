import { closedSet } from '../field/closed-set.ts';
import { date } from '../field/date.ts';
import { object } from '../field/object.ts';
import { personal } from '../field/personal.ts';
import { reais, recordId, text } from '../field/scalars.ts';
import { timestamp } from '../field/timestamp.ts';
import { paymentMethod, slipStatus } from './slip-sets.ts';

const violationReference = object({
  id: recordId.nullish().describe('Id of the violation.'),
  ait: text.nullish().describe('Number of the traffic infraction notice.'),
  code: text.nullish().describe('Code of the infraction.'),
  description: text.nullish().describe('What was found.'),
});

/**
 * A payment slip of a traffic violation (specification, Resources, Traffic
 * violation payment slip). Unlike the other two families it gives no reason
 * for a refusal.
 */
export const trafficViolationTicket = object({
  id: recordId.describe('Unique id of the slip.'),
  status: slipStatus.describe('State of the request for the slip.'),
  discount: closedSet(['full', 'partial', 'none']).nullish().describe('full is 40 %, partial 20 %.'),
  amount: reais.nullish().describe('Amount to pay, in reais, when available.'),
  barcode: personal(text).nullish().describe('Digits to type or scan, when available.'),
  due_date: date.nullish().describe('Last day to pay the slip.'),
  payment_method: paymentMethod.nullish().describe('How it is paid.'),
  pix: personal(text).nullish().describe('Copy-and-paste code; only with payment method pix.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed: orders the events of a slip.'),
  traffic_violation: violationReference.nullish().describe('The violation that it pays.'),
}).meta({ title: 'Traffic violation payment slip' });
