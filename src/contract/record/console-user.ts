/** Schemas of console users. */
import { nonEmpty, object, personal, string } from '../field/schemas.ts';
import { cnpj } from '../field/tax-id.ts';
import { timestamp } from '../field/time.ts';

/** A user of the console application (specification, Resources, Console user). */
export const consoleUser = object({
  id: nonEmpty('a non-empty string (ids of console users are strings)').describe(
    'Unique id of the console user: a string, unlike other ids.',
  ),
  name: personal(string).nullish().describe('Name of the person.'),
  email: personal(string).nullish().describe('E-mail address of the person.'),
  external_uid: string.nullish().describe("The caller's own identifier."),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp
    .nullish()
    .describe('When the record last changed: orders the events of a console user.'),
}).meta({ title: 'Console user' });

/** A company in the list of a console user (specification, Resources, Console user). */
export const consoleUserCompany = object({
  id: nonEmpty('a non-empty string (here ids of companies are strings)').describe(
    'Id of the company, as a string.',
  ),
  name: string.nullish().describe('Name of the company.'),
  tax_id: cnpj.nullish().describe('CNPJ, without punctuation.'),
  external_uid: string.nullish().describe("The caller's own identifier."),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed.'),
}).meta({ title: 'Company of a console user' });
