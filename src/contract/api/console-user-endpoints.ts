/** The provider's endpoints of console users. */
import { z } from 'zod';
import { expected } from '../field/expected.ts';
import { consoleUser, consoleUserCompany } from '../record/console-user.ts';
import { messageBody, pageOf } from './response.ts';
import { emailAddress, nonEmptyString, validCnpj } from './body-field.ts';
import { endpointsOf } from './endpoint.ts';
import { filterBy, stringValue } from './filter.ts';

const endpoint = endpointsOf('Console users');
const params = z.object({ id: z.string() });
const noConsoleUser = 'There is no such console user.';

function atLeastOne<Item extends z.ZodType>(item: Item) {
  return z
    .array(item, { error: expected('an array') })
    .min(1, { error: 'expected at least one company, received an empty array' });
}

/** Specification, Endpoints, Console users. */
export const consoleUserEndpoints = {
  list: endpoint({
    operationId: 'listConsoleUsers',
    summary: 'Users of the console application',
    path: '/v1/console/users',
    filters: {
      email: filterBy(stringValue, ['$eq', '$contains']),
      external_uid: filterBy(stringValue, ['$eq']),
    },
    response: { status: 200, description: 'A page of console users.', schema: pageOf(consoleUser) },
  }),
  read: endpoint({
    operationId: 'readConsoleUser',
    summary: 'One console user, without `data` around it',
    path: '/v1/console/users/{id}',
    params,
    response: { status: 200, description: 'The console user.', schema: consoleUser },
    errors: { 404: noConsoleUser },
  }),
  signIn: endpoint({
    operationId: 'signConsoleUserIn',
    summary: 'Sign in a console user; creates it the first time',
    method: 'post',
    path: '/v1/console/users/sign-in',
    body: z.object({
      name: nonEmptyString.optional(),
      email: emailAddress,
      external_uid: nonEmptyString.optional(),
      companies: atLeastOne(
        z.object(
          { tax_id: validCnpj, external_uid: nonEmptyString.optional() },
          { error: expected('an object') },
        ),
      ),
    }),
    response: {
      status: 200,
      description: 'The address of the console application and the access token.',
      schema: z.object({
        token: z.string().describe('Access token.'),
        redirect_url: z.string().describe('Address of the console application, carrying the token.'),
      }),
    },
    errors: {
      400: 'The e-mail address or a CNPJ is not valid, `companies` is empty, or a company is not in the organization.',
    },
  }),
  remove: endpoint({
    operationId: 'removeConsoleUser',
    summary: 'Remove a console user',
    method: 'delete',
    path: '/v1/console/users/{id}',
    params,
    response: { status: 200, description: 'The console user is removed.', schema: messageBody },
    errors: { 404: noConsoleUser },
  }),
  companies: {
    list: endpoint({
      operationId: 'listCompaniesOfConsoleUser',
      summary: 'Companies of a console user',
      path: '/v1/console/users/{id}/companies',
      params,
      filters: {},
      response: { status: 200, description: 'A page of companies.', schema: pageOf(consoleUserCompany) },
      errors: { 404: noConsoleUser },
    }),
    remove: endpoint({
      operationId: 'removeCompaniesOfConsoleUser',
      summary: 'Remove companies from a console user',
      method: 'delete',
      path: '/v1/console/users/{id}/companies',
      params,
      body: z.object({ companies: atLeastOne(validCnpj) }),
      response: {
        status: 200,
        description: 'The companies are removed from the console user.',
        schema: messageBody,
      },
      errors: { 400: '`companies` is empty or holds no CNPJs.', 404: noConsoleUser },
    }),
  },
};
