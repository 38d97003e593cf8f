import { date } from '../field/date.ts';
import { object } from '../field/object.ts';
import { openSet } from '../field/open-set.ts';
import { reais, recordId, text } from '../field/scalars.ts';
import { companyReference } from './company-reference.ts';

/**
 * A generic charge (specification, Resources, Charge). Nothing in it orders its
 * events: it carries no time of its last change.
 */
export const charge = object({
  id: recordId.describe('Unique id of the charge.'),
  external_uid: text.nullish().describe("The agency's identifier."),
  code: text.nullish().describe("The agency's code."),
  key: text.nullish().describe('Key of the process.'),
  description: text.nullish().describe('What is charged.'),
  date: date.nullish().describe('Day of the charge.'),
  due_date: date.nullish().describe('Last day to pay.'),
  agency: text.nullish().describe('The agency that charges, such as antt or detran.'),
  type: openSet(['fine', 'fee', 'tax']).describe('What sort of charge.'),
  status: openSet(['pending', 'paid', 'overdue']).describe('State of the charge.'),
  amount: reais.nullish().describe('Amount to pay, in reais.'),
  company: companyReference.nullish().describe('The company that is charged.'),
}).meta({ title: 'Charge' });
