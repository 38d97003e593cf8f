/** The endpoints of users. */
import { z } from 'zod';
import { userDriverLicense } from '../record/driver-license.ts';
import { sneStatus } from '../record/sne.ts';
import { loginStatus, loginStep } from '../record/login.ts';
import { linkStatuses, user } from '../record/user.ts';
import { messageBody, one, pageOf } from './response.ts';
import { atLeastOneOf, emailAddress, nonEmptyString, userPhone, validCpf } from './body-field.ts';
import { defineEndpoint, numericId } from './endpoint.ts';
import {
  booleanValue,
  equality,
  filterBy,
  instantValue,
  ordering,
  stringValue,
  valueAmong,
} from './filter.ts';
import { cancelResponse, cancelErrors, signUpResponse, signUpErrors } from './sne-endpoints.ts';

const part = 'Users';
const params = z.object({ id: numericId });
const noUser = 'There is no such user.';

/** The response to a creation or an update (specification, Resources, Individual user). */
export const briefUser = z.object(
  user.pick({
    id: true,
    tax_id: true,
    name: true,
    email: true,
    phone: true,
    external_uid: true,
    created_at: true,
    updated_at: true,
  }).shape,
);

const linkResponse = <const Status extends 'active' | 'inactive'>(status: Status) => ({
  status: 200 as const,
  description: `The link is ${status}.`,
  schema: one(z.object({ status: z.literal(status) })),
});

/** Specification, Endpoints, Users. */
export const userEndpoints = {
  list: defineEndpoint({
    operationId: 'listUsers',
    summary: 'Individual users of the organization',
    part,
    method: 'get',
    path: '/v1/users',
    filters: {
      name: filterBy(stringValue, ['$eq', '$contains', '$startsWith']),
      tax_id: filterBy(stringValue, ['$eq', '$contains']),
      email: filterBy(stringValue, ['$eq', '$contains']),
      'sne.status': filterBy(valueAmong(sneStatus.options), ['$eq']),
      status: filterBy(valueAmong(linkStatuses), equality),
      external_uid: filterBy(stringValue, equality),
      'login.status': filterBy(valueAmong(loginStatus.options), equality),
      'login.step': filterBy(valueAmong(loginStep.options), equality),
      'login.connected': filterBy(booleanValue, ['$eq']),
      'login.connected_at': filterBy(instantValue, ordering),
      'login.disconnected_at': filterBy(instantValue, ordering),
    },
    response: { status: 200, description: 'A page of users.', schema: pageOf(user) },
  }),
  read: defineEndpoint({
    operationId: 'readUser',
    summary: 'One individual user',
    part,
    method: 'get',
    path: '/v1/users/{id}',
    params,
    response: { status: 200, description: 'The user.', schema: one(user) },
    errors: { 404: noUser },
  }),
  readDriverLicense: defineEndpoint({
    operationId: 'readDriverLicenseOfUser',
    summary: "An individual user's driver license",
    part,
    method: 'get',
    path: '/v1/users/{id}/drivers-license',
    params,
    response: { status: 200, description: 'The licence.', schema: one(userDriverLicense) },
    errors: {
      403: "The user's link with the organization is inactive.",
      404: 'There is no such user, or no licence.',
    },
  }),
  create: defineEndpoint({
    operationId: 'createUser',
    summary: 'Add an individual user',
    part,
    method: 'post',
    path: '/v1/users',
    body: z.object({
      name: nonEmptyString,
      tax_id: validCpf,
      email: emailAddress.optional(),
      phone: userPhone.optional(),
      external_uid: nonEmptyString.optional(),
    }),
    response: { status: 201, description: 'The new user.', schema: one(briefUser) },
    errors: { 400: 'The CPF is not valid.', 409: 'The organization has a user with this CPF.' },
  }),
  update: defineEndpoint({
    operationId: 'updateUser',
    summary: 'Change an individual user',
    part,
    method: 'put',
    path: '/v1/users/{id}',
    params,
    body: atLeastOneOf({
      name: nonEmptyString,
      email: emailAddress,
      phone: userPhone,
      external_uid: nonEmptyString,
    }),
    response: { status: 200, description: 'The changed user.', schema: one(briefUser) },
    errors: { 400: 'No field is given, or one is not valid.', 404: noUser },
  }),
  remove: defineEndpoint({
    operationId: 'removeUser',
    summary: 'Remove an individual user and everything that belongs to it',
    part,
    method: 'delete',
    path: '/v1/users/{id}',
    params,
    response: { status: 200, description: 'The user is removed.', schema: messageBody },
    errors: { 404: noUser },
  }),
  signUpForSne: defineEndpoint({
    operationId: 'signUserUpForSne',
    summary: 'Register an individual user with the electronic notification system',
    part,
    method: 'post',
    path: '/v1/users/{id}/sne',
    params,
    response: signUpResponse,
    errors: { 404: noUser, ...signUpErrors },
  }),
  cancelSne: defineEndpoint({
    operationId: 'cancelSneOfUser',
    summary: "Cancel an individual user's registration with the electronic notification system",
    part,
    method: 'delete',
    path: '/v1/users/{id}/sne',
    params,
    response: cancelResponse,
    errors: { 404: noUser, ...cancelErrors },
  }),
  activate: defineEndpoint({
    operationId: 'activateUser',
    summary: 'Make the link with the organization active: data and webhooks resume',
    part,
    method: 'post',
    path: '/v1/users/{id}/activate',
    params,
    response: linkResponse('active'),
    errors: { 404: noUser },
  }),
  deactivate: defineEndpoint({
    operationId: 'deactivateUser',
    summary: 'Make the link with the organization inactive: no data, no webhooks',
    part,
    method: 'post',
    path: '/v1/users/{id}/deactivate',
    params,
    response: linkResponse('inactive'),
    errors: { 404: noUser },
  }),
};
