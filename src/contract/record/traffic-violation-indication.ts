import { z } from 'zod';
import { closedSet } from '../field/closed-set.ts';
import { expected } from '../field/expected.ts';
import { object } from '../field/object.ts';
import { openSet } from '../field/open-set.ts';
import { personal } from '../field/personal.ts';
import { recordId, text, truth } from '../field/scalars.ts';
import { cpf } from '../field/tax-id.ts';
import { timestamp } from '../field/timestamp.ts';

const status = closedSet([
  'pending',
  'review',
  'accepted',
  'filed',
  'expired',
  'rejected',
  'failed',
  'voided',
  'canceled',
]);

const vars = z.record(z.string(), text.nullable(), { error: expected('an object of strings') });

/**
 * The indication of the driver who answers for a traffic violation
 * (specification, Resources, Driver indication). It does not say which
 * violation. In flow `form` a document is signed: `document_status` `signed`
 * comes with `status` `review`; `refused` leaves `status` `pending`.
 */
export const trafficViolationIndication = object({
  id: recordId.describe('Unique id of the indication.'),
  status: status.describe(
    'pending waits for the driver, review is signed and checked before filing, voided by the agency.',
  ),
  status_reason: personal(text).nullish().describe('Why it is in this state.'),
  status_label: text.nullish().describe("By the organization's rules; null when none matches."),
  status_description: text.nullish().describe("By the organization's rules; null when none matches."),
  tax_id: cpf.nullish().describe('CPF of the indicated driver.'),
  name: personal(text).nullish().describe('Name of the indicated driver.'),
  email: personal(text).nullish().describe('E-mail address of the indicated driver.'),
  phone: personal(text).nullish().describe('Phone of the indicated driver, with area code.'),
  flow: closedSet(['automated', 'form'])
    .nullish()
    .describe('With the agency directly, or by signed document.'),
  license: personal(text).nullish().describe("Registration number of the driver's licence; flow form."),
  id_number: personal(text).nullish().describe('Identity document; flow form.'),
  id_issuer: personal(text).nullish().describe('Who issued the identity document; flow form.'),
  transfer: truth
    .nullish()
    .describe('Responsibility passes by signed document, with a FICI document; flow form.'),
  external: truth.nullish().describe('Made outside the service, which only watches it.'),
  document_token: personal(text).nullish().describe('Token of the document; flow form.'),
  signer_token: personal(text).nullish().describe('Token of the signer; flow form.'),
  sign_url: personal(text).nullish().describe('Where the driver signs: whoever has it can; flow form.'),
  document_status: openSet(['pending', 'signed', 'refused', 'expired'])
    .nullish()
    .describe('State of the document to sign.'),
  document_signed_at: timestamp.nullish().describe('When all had signed; flow form.'),
  vars: personal(vars).nullish().describe('Values for the document templates.'),
  requester_email: personal(text).nullish().describe('E-mail address of who asked for the indication.'),
  requester_phone: personal(text).nullish().describe('Phone of who asked for the indication.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp
    .nullish()
    .describe('When the record last changed: orders the events of an indication.'),
}).meta({ title: 'Driver indication' });
