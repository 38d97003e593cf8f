/** Schemas of companies and of what other records say of them. */
import { object, openSet, personal, recordId, string } from '../field/schemas.ts';
import { cnpj, cpf } from '../field/tax-id.ts';
import { date, timestamp } from '../field/time.ts';
import { login } from './login.ts';
import { sne } from './sne.ts';

/** The company of a violation or charge. Only webhooks contain `tax_id`; the provider's responses do not. */
export const companyReference = object({
  id: recordId.nullish().describe('Id of the company.'),
  external_uid: string.nullish().describe("The caller's own identifier of the company."),
  tax_id: cnpj.nullish().describe('CNPJ, without punctuation.'),
  name: string.nullish().describe('Name of the company.'),
});

/** A company's digital certificate (specification, Resources, certificate block). */
export const certificate = object({
  status: openSet(['valid', 'expired', 'not_provided']).nullish().describe('Whether it can be used.'),
  issue_date: date.nullish().describe('First day of validity.'),
  expiration_date: date.nullish().describe('Last day of validity.'),
});

const address = object({
  address: personal(string).nullish().describe('Street, number, complement, neighborhood.'),
  city: string.nullish().describe('City.'),
  state: string.nullish().describe('Federative unit, two letters.'),
  postal_code: personal(string).nullish().describe('Postal code (CEP).'),
});

const organization = object({
  id: recordId.nullish().describe('Id of the organization that owns the record.'),
});

/** A company with all its fields (specification, Resources, Company). */
export const company = object({
  id: recordId.describe('Unique id of the company.'),
  tax_id: cnpj.nullish().describe('CNPJ, without punctuation.'),
  name: string.nullish().describe('Name of the company.'),
  login_username: cpf.nullish().describe('CPF of the person responsible for the login connection.'),
  external_uid: string.nullish().describe("The caller's own identifier."),
  sne: sne.nullish().describe('Registration with the electronic notification system.'),
  certificate: certificate.nullish().describe('The digital certificate.'),
  login: login.nullish().describe('The connection to the government portal.'),
  address: address.nullish().describe('Address of the company.'),
  organization: organization.nullish().describe('The organization that owns the record.'),
  created_at: timestamp.nullish().describe('When the record was made.'),
  updated_at: timestamp.nullish().describe('When the record last changed: orders the events of a company.'),
}).meta({ title: 'Company' });
