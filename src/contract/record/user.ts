import { object } from '../field/object.ts';
import { openSet } from '../field/open-set.ts';
import { personal } from '../field/personal.ts';
import { recordId, text } from '../field/scalars.ts';
import { cpf } from '../field/tax-id.ts';
import { timestamp } from '../field/timestamp.ts';
import { sne } from './sne.ts';
import { userLogin } from './user-login.ts';

/** What a user's link with the organization can be (specification, Resources, Individual user). */
export const linkStatuses = ['active', 'inactive', 'pending'] as const;

/** An individual user, as its detail shows it (specification, Resources, Individual user). */
export const user = object({
  id: recordId.describe('Unique id of the user.'),
  tax_id: cpf.nullish().describe('CPF, digits only.'),
  name: personal(text).nullish().describe('Name of the person.'),
  email: personal(text).nullish().describe('E-mail address of the person.'),
  phone: personal(text).nullish().describe('Phone of the person.'),
  external_uid: text.nullish().describe("The caller's own identifier."),
  status: openSet(linkStatuses).describe(
    'Link with the organization; inactive means no data and no webhooks, pending behaves as active.',
  ),
  sne: sne.nullish().describe('Registration with the electronic notification system.'),
  login: userLogin.nullish().describe('The connection to the government portal.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed.'),
}).meta({ title: 'Individual user' });
