/** The record of a user. */
import { object, openSet, personal, recordId, string } from '../field/schemas.ts';
import { cpf } from '../field/tax-id.ts';
import { timestamp } from '../field/time.ts';
import { userLogin } from './login.ts';
import { sne } from './sne.ts';

/** The states of a user's link with the organization (specification, Resources, Individual user). */
export const linkStatuses = ['active', 'inactive', 'pending'] as const;

/** An individual user with all fields (specification, Resources, Individual user). */
export const user = object({
  id: recordId.describe('Unique id of the user.'),
  tax_id: cpf.nullish().describe('CPF, digits only.'),
  name: personal(string).nullish().describe('Name of the person.'),
  email: personal(string).nullish().describe('E-mail address of the person.'),
  phone: personal(string).nullish().describe('Phone of the person.'),
  external_uid: string.nullish().describe("The caller's own identifier."),
  status: openSet(linkStatuses).describe(
    'Link with the organization. inactive: no data and no webhooks. pending: behaves like active.',
  ),
  sne: sne.nullish().describe('Registration with the electronic notification system.'),
  login: userLogin.nullish().describe('The connection to the government portal.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed.'),
}).meta({ title: 'Individual user' });
