/** The endpoints of companies. */
import { z } from 'zod';
import { certificate, company } from '../record/company.ts';
import { sneStatus } from '../record/sne.ts';
import { syncOutcome, syncSnapshot } from '../record/sync.ts';
import { one, pageOf } from './response.ts';
import { atLeastOneOf, nonEmptyString, validCnpj, validCpf } from './body-field.ts';
import { endpointsOf } from './endpoint.ts';
import { equality, filterBy, stringValue, valueAmong } from './filter.ts';
import { cancelResponse, cancelErrors, signUpResponse, signUpErrors } from './sne-endpoints.ts';

const endpoint = endpointsOf('Companies');
const noCompany = 'There is no such company.';

/** The response to a creation or an update (specification, Resources, Company). */
export const briefCompany = z.object(
  company.pick({
    id: true,
    tax_id: true,
    name: true,
    login_username: true,
    external_uid: true,
    organization: true,
    created_at: true,
    updated_at: true,
  }).shape,
);

/** Specification, Endpoints, Companies. */
export const companyEndpoints = {
  list: endpoint({
    operationId: 'listCompanies',
    summary: 'Companies of the organization',
    path: '/v1/companies',
    filters: {
      name: filterBy(stringValue, ['$eq', '$contains', '$startsWith']),
      tax_id: filterBy(stringValue, ['$eq', '$contains']),
      'sne.status': filterBy(valueAmong(sneStatus.options), ['$eq']),
      'certificate.status': filterBy(valueAmong(['valid', 'expired', 'not_provided']), ['$eq']),
      external_uid: filterBy(stringValue, equality),
    },
    response: { status: 200, description: 'A page of companies.', schema: pageOf(company) },
  }),
  read: endpoint({
    operationId: 'readCompany',
    summary: 'One company',
    path: '/v1/companies/{id}',
    response: { status: 200, description: 'The company.', schema: one(company) },
    errors: { 404: noCompany },
  }),
  create: endpoint({
    operationId: 'createCompany',
    summary: 'Add a company',
    method: 'post',
    path: '/v1/companies',
    body: z.object({
      name: nonEmptyString,
      tax_id: validCnpj,
      external_uid: nonEmptyString.optional(),
      login_username: validCpf.optional(),
    }),
    response: { status: 201, description: 'The new company.', schema: one(briefCompany) },
    errors: { 400: 'The CNPJ is not valid.', 409: 'The organization has a company with this CNPJ.' },
  }),
  update: endpoint({
    operationId: 'updateCompany',
    summary: 'Change a company',
    method: 'put',
    path: '/v1/companies/{id}',
    body: atLeastOneOf({ name: nonEmptyString, external_uid: nonEmptyString, login_username: validCpf }),
    response: { status: 200, description: 'The changed company.', schema: one(briefCompany) },
    errors: { 400: 'No field is given.', 404: noCompany },
  }),
  sne: {
    signUp: endpoint({
      operationId: 'signCompanyUpForSne',
      summary: 'Register a company with the electronic notification system',
      method: 'post',
      path: '/v1/companies/{id}/sne',
      response: signUpResponse,
      errors: { 404: noCompany, ...signUpErrors },
    }),
    cancel: endpoint({
      operationId: 'cancelSneOfCompany',
      summary: "Cancel a company's registration with the electronic notification system",
      method: 'delete',
      path: '/v1/companies/{id}/sne',
      response: cancelResponse,
      errors: { 404: noCompany, ...cancelErrors },
    }),
  },
  certificate: {
    store: endpoint({
      operationId: 'storeCertificate',
      summary: "Store a company's digital certificate",
      method: 'post',
      path: '/v1/companies/{id}/certificate',
      body: z.object({
        certificate: nonEmptyString.describe('A PKCS#12 file (.pfx, .p12) in base64.'),
        // A password can be empty.
        password: z.string({ error: 'is required: expected a string' }),
      }),
      response: {
        status: 200,
        description: 'The certificate can be used.',
        schema: one(z.object(certificate.shape)),
      },
      errors: {
        400: 'The file is not a certificate, or the password is wrong.',
        404: noCompany,
        422: 'The certificate has expired.',
      },
    }),
    remove: endpoint({
      operationId: 'removeCertificate',
      summary: "Remove a company's digital certificate",
      method: 'delete',
      path: '/v1/companies/{id}/certificate',
      response: {
        status: 200,
        description: 'The certificate is removed.',
        schema: one(z.object(certificate.pick({ status: true }).shape)),
      },
      errors: { 404: noCompany, 422: 'No certificate is registered.' },
    }),
  },
  sync: {
    stream: endpoint({
      operationId: 'streamSync',
      summary: 'Progress of the first import, as server-sent events `progress` and `done`',
      path: '/v1/companies/{id}/sync/stream',
      response: {
        status: 200,
        description: 'The stream.',
        schema: null,
        type: 'text/event-stream',
        events: { progress: syncSnapshot, done: syncOutcome },
        last: 'done',
      },
      errors: { 404: 'There is no such company, or no import runs.' },
    }),
    read: endpoint({
      operationId: 'readSync',
      summary: 'Current progress of the first import',
      path: '/v1/companies/{id}/sync/snapshot',
      response: { status: 200, description: 'The progress.', schema: one(syncSnapshot) },
      errors: { 404: 'There is no such company, or no import runs.' },
    }),
  },
};
