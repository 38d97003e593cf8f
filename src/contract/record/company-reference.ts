import { object } from '../field/object.ts';
import { recordId, text } from '../field/scalars.ts';
import { cnpj } from '../field/tax-id.ts';

/**
 * The company that a violation or charge belongs to. `tax_id` comes with
 * webhooks only, the specification's responses leave it out.
 */
export const companyReference = object({
  id: recordId.nullish().describe('Id of the company.'),
  external_uid: text.nullish().describe("The caller's own identifier of the company."),
  tax_id: cnpj.nullish().describe('CNPJ, without punctuation.'),
  name: text.nullish().describe('Name of the company.'),
});
