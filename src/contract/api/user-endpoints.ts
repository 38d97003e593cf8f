/** The endpoints of users. */
import { z } from 'zod';
import { userDriverLicense } from '../record/driver-license.ts';
import { sneStatus } from '../record/sne.ts';
import { loginStatus, loginStep } from '../record/login.ts';
import { linkStatuses, user } from '../record/user.ts';
import { messageBody, one, pageOf } from './response.ts';
import { atLeastOneOf, emailAddress, nonEmptyString, userPhone, validCpf } from './body-field.ts';
import { endpointsOf } from './endpoint.ts';
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

const endpoint = endpointsOf('Users');
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
  list: endpoint({
    operationId: 'listUsers',
    summary: 'Individual users of the organization',
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
  read: endpoint({
    operationId: 'readUser',
    summary: 'One individual user',
    path: '/v1/users/{id}',
    response: { status: 200, description: 'The user.', schema: one(user) },
    errors: { 404: noUser },
  }),
  create: endpoint({
    operationId: 'createUser',
    summary: 'Add an individual user',
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
  update: endpoint({
    operationId: 'updateUser',
    summary: 'Change an individual user',
    method: 'put',
    path: '/v1/users/{id}',
    body: atLeastOneOf({
      name: nonEmptyString,
      email: emailAddress,
      phone: userPhone,
      external_uid: nonEmptyString,
    }),
    response: { status: 200, description: 'The changed user.', schema: one(briefUser) },
    errors: { 400: 'No field is given, or one is not valid.', 404: noUser },
  }),
  remove: endpoint({
    operationId: 'removeUser',
    summary: 'Remove an individual user and everything that belongs to it',
    method: 'delete',
    path: '/v1/users/{id}',
    response: { status: 200, description: 'The user is removed.', schema: messageBody },
    errors: { 404: noUser },
  }),
  activate: endpoint({
    operationId: 'activateUser',
    summary: 'Make the link with the organization active: data and webhooks resume',
    method: 'post',
    path: '/v1/users/{id}/activate',
    response: linkResponse('active'),
    errors: { 404: noUser },
  }),
  deactivate: endpoint({
    operationId: 'deactivateUser',
    summary: 'Make the link with the organization inactive: no data, no webhooks',
    method: 'post',
    path: '/v1/users/{id}/deactivate',
    response: linkResponse('inactive'),
    errors: { 404: noUser },
  }),
  driverLicense: {
    read: endpoint({
      operationId: 'readDriverLicenseOfUser',
      summary: "An individual user's driver license",
      path: '/v1/users/{id}/drivers-license',
      response: { status: 200, description: 'The licence.', schema: one(userDriverLicense) },
      errors: {
        403: "The user's link with the organization is inactive.",
        404: 'There is no such user, or no licence.',
      },
    }),
  },
  sne: {
    signUp: endpoint({
      operationId: 'signUserUpForSne',
      summary: 'Register an individual user with the electronic notification system',
      method: 'post',
      path: '/v1/users/{id}/sne',
      response: signUpResponse,
      errors: { 404: noUser, ...signUpErrors },
    }),
    cancel: endpoint({
      operationId: 'cancelSneOfUser',
      summary: "Cancel an individual user's registration with the electronic notification system",
      method: 'delete',
      path: '/v1/users/{id}/sne',
      response: cancelResponse,
      errors: { 404: noUser, ...cancelErrors },
    }),
  },
};
