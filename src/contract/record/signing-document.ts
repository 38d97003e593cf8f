import { z } from 'zod';
import { expected } from '../field/expected.ts';
import { object } from '../field/object.ts';
import { openSet } from '../field/open-set.ts';
import { personal } from '../field/personal.ts';
import { text } from '../field/scalars.ts';
import { timestamp } from '../field/timestamp.ts';

/** States of a document to sign; the specification lists the first four, the last follows from a cancellation. */
const status = openSet(['pending', 'signed', 'refused', 'expired', 'canceled']);

const count = z.int({ error: expected('a whole number (a count)') });

const signer = object({
  token: personal(text).nullish().describe('Token of the signer.'),
  status: openSet(['pending', 'signed', 'refused']).nullish().describe('What the signer has done.'),
  name: personal(text).nullish().describe('Name of the signer.'),
  email: personal(text).nullish().describe('E-mail address of the signer.'),
  times_viewed: count.nullish().describe('How often the signer has opened the document.'),
  last_view_at: timestamp.nullish().describe('When the signer last opened it.'),
  signed_at: timestamp.nullish().describe('When the signer signed.'),
});

const document = object({
  token: personal(text).nullish().describe('Token of the document.'),
  status: status.nullish().describe('State of the document.'),
  name: text.nullish().describe('Name of the document.'),
  original_file: personal(text).nullish().describe('Where it can be fetched as it was sent.'),
  signed_file: personal(text).nullish().describe('Where it can be fetched with its signatures, once signed.'),
  created_at: timestamp.nullish().describe('When it was made.'),
  last_update_at: timestamp.nullish().describe('When it last changed.'),
  signers: z.array(signer).nullish().describe('Who signs it.'),
});

const auditEntry = object({
  created_at: timestamp.nullish().describe('When it happened.'),
  event: text.nullish().describe('What happened, in a word.'),
  description: personal(text).nullish().describe('What happened, for people.'),
});

/** The signing of an indication's document (specification, Resources, Signing document record). */
export const signingDocument = object({
  document_token: personal(text).nullish().describe('Token of the document.'),
  document_status: status.nullish().describe('State of the document.'),
  sign_url: personal(text).nullish().describe('Where the driver signs: whoever has it can.'),
  document: document.nullish().describe('The document and who signs it.'),
  audit_trail: z.array(auditEntry).nullish().describe('What has happened to it, oldest first.'),
}).meta({ title: 'Signing document record' });
