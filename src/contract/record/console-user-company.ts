import { nonEmpty } from '../field/non-empty.ts';
import { object } from '../field/object.ts';
import { text } from '../field/scalars.ts';
import { cnpj } from '../field/tax-id.ts';
import { timestamp } from '../field/timestamp.ts';

/** A company as a console user's list shows it (specification, Resources, Console user). */
export const consoleUserCompany = object({
  id: nonEmpty('a non-empty string (here ids of companies are strings)').describe(
    'Id of the company, as a string.',
  ),
  name: text.nullish().describe('Name of the company.'),
  tax_id: cnpj.nullish().describe('CNPJ, without punctuation.'),
  external_uid: text.nullish().describe("The caller's own identifier."),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed.'),
}).meta({ title: 'Company of a console user' });
