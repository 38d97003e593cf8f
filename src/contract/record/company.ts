import { object } from '../field/object.ts';
import { personal } from '../field/personal.ts';
import { recordId, text } from '../field/scalars.ts';
import { cnpj, cpf } from '../field/tax-id.ts';
import { timestamp } from '../field/timestamp.ts';
import { certificate } from './certificate.ts';
import { login } from './login.ts';
import { sne } from './sne.ts';

const address = object({
  address: personal(text).nullish().describe('Street, number, complement, neighborhood.'),
  city: text.nullish().describe('City.'),
  state: text.nullish().describe('Federative unit, two letters.'),
  postal_code: personal(text).nullish().describe('Postal code (CEP).'),
});

const organization = object({
  id: recordId.nullish().describe('Id of the organization that owns the record.'),
});

/** A company in full, as its detail shows it (specification, Resources, Company). */
export const company = object({
  id: recordId.describe('Unique id of the company.'),
  tax_id: cnpj.nullish().describe('CNPJ, without punctuation.'),
  name: text.nullish().describe('Name of the company.'),
  login_username: cpf.nullish().describe('CPF of the person responsible for the login connection.'),
  external_uid: text.nullish().describe("The caller's own identifier."),
  sne: sne.nullish().describe('Registration with the electronic notification system.'),
  certificate: certificate.nullish().describe('The digital certificate.'),
  login: login.nullish().describe('The connection to the government portal.'),
  address: address.nullish().describe('Where the company is.'),
  organization: organization.nullish().describe('The organization that owns the record.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed: orders the events of a company.'),
}).meta({ title: 'Company' });
