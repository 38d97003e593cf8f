/** Schemas of driver indications and the signing of their documents. */
import { z } from 'zod';
import { expected } from '../field/expected.ts';
import { boolean, closedSet, count, object, openSet, personal, recordId, string } from '../field/schemas.ts';
import { cpf } from '../field/tax-id.ts';
import { timestamp } from '../field/time.ts';

/** States of an indication (specification, Resources, Driver indication). */
export const indicationStatus = closedSet([
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

/** States of a document to sign. The specification lists the first four; `canceled` follows from a cancellation. */
const documentStatus = openSet(['pending', 'signed', 'refused', 'expired', 'canceled']);

const vars = z.record(z.string(), string.nullable(), { error: expected('an object of strings') });

/**
 * The indication of the driver who is responsible for a traffic violation (specification, Resources, Driver
 * indication). It does not name the violation. In flow `form` the driver signs a document: `document_status`
 * `signed` comes with `status` `review`; `refused` leaves `status` `pending`.
 */
export const trafficViolationIndication = object({
  id: recordId.describe('Unique id of the indication.'),
  status: openSet(indicationStatus).describe(
    'pending: waits for the driver. review: signed, and checked before filing. voided: by the agency.',
  ),
  status_reason: personal(string).nullish().describe('Reason of the state.'),
  status_label: string.nullish().describe("By the organization's rules; null when none matches."),
  status_description: string.nullish().describe("By the organization's rules; null when none matches."),
  tax_id: cpf.nullish().describe('CPF of the indicated driver.'),
  name: personal(string).nullish().describe('Name of the indicated driver.'),
  email: personal(string).nullish().describe('E-mail address of the indicated driver.'),
  phone: personal(string).nullish().describe('Phone of the indicated driver, with area code.'),
  flow: openSet(['automated', 'form'])
    .nullish()
    .describe('automated: with the agency directly. form: by signed document.'),
  license: personal(string).nullish().describe("Registration number of the driver's licence; flow form."),
  id_number: personal(string).nullish().describe('Identity document; flow form.'),
  id_issuer: personal(string).nullish().describe('Who issued the identity document; flow form.'),
  transfer: boolean.nullish().describe('Whether responsibility passes by a signed FICI document; flow form.'),
  external: boolean.nullish().describe('Whether it was made outside the service, which only tracks it.'),
  document_token: personal(string).nullish().describe('Token of the document; flow form.'),
  signer_token: personal(string).nullish().describe('Token of the signer; flow form.'),
  sign_url: personal(string)
    .nullish()
    .describe('Address where the driver signs; anybody who has it can sign. Flow form.'),
  document_status: documentStatus.nullish().describe('State of the document to sign.'),
  document_signed_at: timestamp.nullish().describe('When the last signer signed; flow form.'),
  vars: personal(vars).nullish().describe('Values for the document templates.'),
  requester_email: personal(string).nullish().describe('E-mail address of the requester.'),
  requester_phone: personal(string).nullish().describe('Phone of the requester.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp
    .nullish()
    .describe('When the record last changed: orders the events of an indication.'),
}).meta({ title: 'Driver indication' });

const signer = object({
  token: personal(string).nullish().describe('Token of the signer.'),
  status: openSet(['pending', 'signed', 'refused']).nullish().describe('State of the signer.'),
  name: personal(string).nullish().describe('Name of the signer.'),
  email: personal(string).nullish().describe('E-mail address of the signer.'),
  times_viewed: count.nullish().describe('How often the signer has opened the document.'),
  last_view_at: timestamp.nullish().describe('When the signer last opened it.'),
  signed_at: timestamp.nullish().describe('When the signer signed.'),
});

const document = object({
  token: personal(string).nullish().describe('Token of the document.'),
  status: documentStatus.nullish().describe('State of the document.'),
  name: string.nullish().describe('Name of the document.'),
  original_file: personal(string).nullish().describe('Address of the document as it was sent.'),
  signed_file: personal(string)
    .nullish()
    .describe('Address of the document with its signatures, once signed.'),
  created_at: timestamp.nullish().describe('When it was made.'),
  last_update_at: timestamp.nullish().describe('When it last changed.'),
  signers: z.array(signer).nullish().describe('The signers.'),
});

const auditEntry = object({
  created_at: timestamp.nullish().describe('When it happened.'),
  event: string.nullish().describe('Name of the event.'),
  description: personal(string).nullish().describe('Description of the event.'),
});

/** The signing of an indication's document (specification, Resources, Signing document record). */
export const signingDocument = object({
  document_token: personal(string).nullish().describe('Token of the document.'),
  document_status: documentStatus.nullish().describe('State of the document.'),
  sign_url: personal(string)
    .nullish()
    .describe('Address where the driver signs; anybody who has it can sign.'),
  document: document.nullish().describe('The document and its signers.'),
  audit_trail: z.array(auditEntry).nullish().describe('Events of the document, oldest first.'),
}).meta({ title: 'Signing document record' });
