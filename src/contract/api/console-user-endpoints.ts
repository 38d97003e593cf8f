import { z } from 'zod';
import { expected } from '../field/expected.ts';
import { consoleUser } from '../record/console-user.ts';
import { consoleUserCompany } from '../record/console-user-company.ts';
import { messageAnswer, pageOf } from './answer.ts';
import { emailAddress, filledText, fittingCnpj } from './body-field.ts';
import { defineEndpoint } from './endpoint.ts';
import { filterBy } from './filter.ts';
import { textValue } from './filter-value.ts';

const part = 'Console users';
const params = z.object({ id: z.string() });
const noConsoleUser = 'There is no such console user.';

function atLeastOne<Item extends z.ZodType>(item: Item) {
  return z
    .array(item, { error: expected('an array') })
    .min(1, { error: 'expected at least one company, received an empty array' });
}

/** Specification, Endpoints, Console users. */
export const consoleUserEndpoints = {
  list: defineEndpoint({
    operationId: 'listConsoleUsers',
    summary: 'Users of the console application',
    part,
    method: 'get',
    path: '/v1/console/users',
    filters: {
      email: filterBy(textValue, ['$eq', '$contains']),
      external_uid: filterBy(textValue, ['$eq']),
    },
    answer: { status: 200, description: 'A page of console users.', schema: pageOf(consoleUser) },
  }),
  read: defineEndpoint({
    operationId: 'readConsoleUser',
    summary: 'One console user, without `data` around it',
    part,
    method: 'get',
    path: '/v1/console/users/{id}',
    params,
    answer: { status: 200, description: 'The console user.', schema: consoleUser },
    failures: { 404: noConsoleUser },
  }),
  listCompanies: defineEndpoint({
    operationId: 'listCompaniesOfConsoleUser',
    summary: 'Companies that a console user sees',
    part,
    method: 'get',
    path: '/v1/console/users/{id}/companies',
    params,
    filters: {},
    answer: { status: 200, description: 'A page of companies.', schema: pageOf(consoleUserCompany) },
    failures: { 404: noConsoleUser },
  }),
  signIn: defineEndpoint({
    operationId: 'signConsoleUserIn',
    summary: 'Sign a console user in, and create it the first time',
    part,
    method: 'post',
    path: '/v1/console/users/sign-in',
    body: z.object({
      name: filledText.optional(),
      email: emailAddress,
      external_uid: filledText.optional(),
      companies: atLeastOne(
        z.object(
          { tax_id: fittingCnpj, external_uid: filledText.optional() },
          { error: expected('an object') },
        ),
      ),
    }),
    answer: {
      status: 200,
      description: 'Where the console is entered, and with what.',
      schema: z.object({
        token: z.string().describe('Access token.'),
        redirect_url: z.string().describe('Address of the console application, carrying the token.'),
      }),
    },
    failures: {
      400: 'The e-mail address or a CNPJ is not valid, `companies` is empty, or a company is not in the organization.',
    },
  }),
  removeCompanies: defineEndpoint({
    operationId: 'removeCompaniesOfConsoleUser',
    summary: 'Take companies from a console user',
    part,
    method: 'delete',
    path: '/v1/console/users/{id}/companies',
    params,
    body: z.object({ companies: atLeastOne(fittingCnpj) }),
    answer: { status: 200, description: 'The console user sees them no more.', schema: messageAnswer },
    failures: { 400: '`companies` is empty or holds no CNPJs.', 404: noConsoleUser },
  }),
  remove: defineEndpoint({
    operationId: 'removeConsoleUser',
    summary: 'Remove a console user',
    part,
    method: 'delete',
    path: '/v1/console/users/{id}',
    params,
    answer: { status: 200, description: 'The console user is removed.', schema: messageAnswer },
    failures: { 404: noConsoleUser },
  }),
};
