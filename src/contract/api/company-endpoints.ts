import { z } from 'zod';
import { certificate } from '../record/certificate.ts';
import { company } from '../record/company.ts';
import { syncOutcome } from '../record/sync-outcome.ts';
import { syncSnapshot } from '../record/sync-snapshot.ts';
import { one, pageOf } from './answer.ts';
import { anyOf, filledText, fittingCnpj, fittingCpf } from './body-field.ts';
import { defineEndpoint, numericId } from './endpoint.ts';
import { filterBy } from './filter.ts';
import { textValue, valueAmong } from './filter-value.ts';
import { equality } from './operator.ts';
import { cancelAnswer, cancelFailures, signUpAnswer, signUpFailures, sneStatuses } from './sne-endpoints.ts';

const part = 'Companies';
const params = z.object({ id: numericId });
const noCompany = 'There is no such company.';

/** What creation and update answer (specification, Resources, Company). */
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
  list: defineEndpoint({
    operationId: 'listCompanies',
    summary: 'Companies of the organization',
    part,
    method: 'get',
    path: '/v1/companies',
    filters: {
      name: filterBy(textValue, ['$eq', '$contains', '$startsWith']),
      tax_id: filterBy(textValue, ['$eq', '$contains']),
      'sne.status': filterBy(valueAmong(sneStatuses), ['$eq']),
      'certificate.status': filterBy(valueAmong(['valid', 'expired', 'not_provided']), ['$eq']),
      external_uid: filterBy(textValue, equality),
    },
    answer: { status: 200, description: 'A page of companies.', schema: pageOf(company) },
  }),
  read: defineEndpoint({
    operationId: 'readCompany',
    summary: 'One company',
    part,
    method: 'get',
    path: '/v1/companies/{id}',
    params,
    answer: { status: 200, description: 'The company.', schema: one(company) },
    failures: { 404: noCompany },
  }),
  create: defineEndpoint({
    operationId: 'createCompany',
    summary: 'Add a company',
    part,
    method: 'post',
    path: '/v1/companies',
    body: z.object({
      name: filledText,
      tax_id: fittingCnpj,
      external_uid: filledText.optional(),
      login_username: fittingCpf.optional(),
    }),
    answer: { status: 201, description: 'The new company.', schema: one(briefCompany) },
    failures: { 400: 'The CNPJ is not valid.', 409: 'The organization has a company with this CNPJ.' },
  }),
  update: defineEndpoint({
    operationId: 'updateCompany',
    summary: 'Change a company',
    part,
    method: 'put',
    path: '/v1/companies/{id}',
    params,
    body: anyOf({ name: filledText, external_uid: filledText, login_username: fittingCpf }),
    answer: { status: 200, description: 'The changed company.', schema: one(briefCompany) },
    failures: { 400: 'No field is given.', 404: noCompany },
  }),
  signUpForSne: defineEndpoint({
    operationId: 'signCompanyUpForSne',
    summary: 'Register a company with the electronic notification system',
    part,
    method: 'post',
    path: '/v1/companies/{id}/sne',
    params,
    answer: signUpAnswer,
    failures: { 404: noCompany, ...signUpFailures },
  }),
  cancelSne: defineEndpoint({
    operationId: 'cancelSneOfCompany',
    summary: "Cancel a company's registration with the electronic notification system",
    part,
    method: 'delete',
    path: '/v1/companies/{id}/sne',
    params,
    answer: cancelAnswer,
    failures: { 404: noCompany, ...cancelFailures },
  }),
  storeCertificate: defineEndpoint({
    operationId: 'storeCertificate',
    summary: "Store a company's digital certificate",
    part,
    method: 'post',
    path: '/v1/companies/{id}/certificate',
    params,
    body: z.object({
      certificate: filledText.describe('A PKCS#12 file (.pfx, .p12) in base64.'),
      // An empty one is a password too.
      password: z.string({ error: 'is required: expected a string' }),
    }),
    answer: {
      status: 200,
      description: 'The certificate can be used.',
      schema: one(z.object(certificate.shape)),
    },
    failures: {
      400: 'The file is no certificate, or the password is wrong.',
      404: noCompany,
      422: 'The certificate has expired.',
    },
  }),
  removeCertificate: defineEndpoint({
    operationId: 'removeCertificate',
    summary: "Remove a company's digital certificate",
    part,
    method: 'delete',
    path: '/v1/companies/{id}/certificate',
    params,
    answer: {
      status: 200,
      description: 'There is no certificate any more.',
      schema: one(z.object(certificate.pick({ status: true }).shape)),
    },
    failures: { 404: noCompany, 422: 'No certificate is registered.' },
  }),
  streamSync: defineEndpoint({
    operationId: 'streamSync',
    summary: 'Progress of the first import, as server-sent events `progress` and `done`',
    part,
    method: 'get',
    path: '/v1/companies/{id}/sync/stream',
    params,
    answer: {
      status: 200,
      description: 'The stream.',
      schema: null,
      type: 'text/event-stream',
      events: { progress: syncSnapshot, done: syncOutcome },
      last: 'done',
    },
    failures: { 404: 'There is no such company, or no import runs.' },
  }),
  readSync: defineEndpoint({
    operationId: 'readSync',
    summary: 'Progress of the first import, now',
    part,
    method: 'get',
    path: '/v1/companies/{id}/sync/snapshot',
    params,
    answer: { status: 200, description: 'The progress.', schema: one(syncSnapshot) },
    failures: { 404: 'There is no such company, or no import runs.' },
  }),
};
