/** Schemas of logins with the government portal, and of the webhooks of their steps. */
import {
  attemptCount,
  boolean,
  closedSet,
  object,
  openSet,
  personal,
  recordId,
  string,
} from '../field/schemas.ts';
import { cnpj } from '../field/tax-id.ts';
import { timestamp } from '../field/time.ts';

/** `login.step` of the specification's shared enumerations: the stage of the connection process. */
export const loginStep = closedSet([
  'credentials',
  'username',
  'password',
  'certificate',
  'otp',
  'completed',
]);

/** `login.status` of the specification's shared enumerations. */
export const loginStatus = closedSet(['fail', 'success', 'incomplete', 'processing', 'voided']);

/** `login.service` of the specification's shared enumerations: the national government portal. */
const loginService = openSet(['gov_portal']);

/** A company's connection to the government portal (specification, Resources, login block). */
export const login = object({
  id: recordId.nullish().describe('Id of the connection.'),
  type: openSet(['certificate', 'username']).nullish().describe('Sign-in method of the connection.'),
  status: openSet(loginStatus).nullish().describe('Outcome of the connection process.'),
  service: loginService.nullish().describe('The portal.'),
  connected: boolean.nullish().describe('Whether a session is active now.'),
  connected_at: timestamp.nullish().describe('Last connection; null before the first.'),
  disconnected_at: timestamp.nullish().describe('Last disconnection; null before the first.'),
  step: openSet(loginStep)
    .nullish()
    .describe('Stage of the connection process; after a failure the stage that failed.'),
});

/** An individual user's connection to the government portal (specification, Resources, Individual user). */
export const userLogin = login.extend({
  type: openSet(['certificate', 'password']).nullish().describe('Sign-in method of the connection.'),
});

/** The fields of every login event (specification, Events, Login attempt payload fields). */
const everyEvent = {
  id: recordId.describe('Id of the company or user, depending on the event kind. The two can collide.'),
  external_uid: string.nullish().describe("The caller's own identifier."),
  uid: personal(string).nullish().describe('Login identifier.'),
  service: loginService.nullish().describe('The portal.'),
  connected: boolean.describe('Whether a session is active.'),
  step: openSet(loginStep, ' or null')
    .nullable()
    .describe('Stage of the connection process; null when an attempt starts.'),
  occurred_at: timestamp.nullish().describe('When it happened: orders the events of a login.'),
};

const companyOnly = { tax_id: cnpj.nullish().describe('CNPJ of the company, without punctuation.') };

/** The fields of `connected` and `disconnected`, which report the session. */
const session = {
  connected_at: timestamp
    .nullish()
    .describe('The connection that caused the event, or the last one before a disconnection.'),
  disconnected_at: timestamp
    .nullish()
    .describe('The disconnection that caused the event, or the earlier one; null on a first connection.'),
};

/** The field of `started`, `step.updated`, `succeeded` and `failed`, which report an attempt. */
const attempt = {
  attempt: attemptCount.describe(
    'Attempts within the step, from 1: up to 3 for password, up to 5 for otp, always 1 for the others.',
  ),
};

const failure = {
  error: personal(string)
    .nullish()
    .describe('The error message: a rejection by the portal, or a technical error.'),
};

/** `company.login.connected` and `.disconnected`. */
export const companyLoginSession = object({ ...everyEvent, ...companyOnly, ...session }).meta({
  title: 'Company login session',
});

/** `company.login.started`, `.step.updated` and `.succeeded`. */
export const companyLoginAttempt = object({ ...everyEvent, ...companyOnly, ...attempt }).meta({
  title: 'Company login attempt',
});

/** `company.login.failed`. */
export const companyLoginFailure = object({ ...everyEvent, ...companyOnly, ...attempt, ...failure }).meta({
  title: 'Company login failure',
});

/** `user.login.connected` and `.disconnected`. */
export const userLoginSession = object({ ...everyEvent, ...session }).meta({ title: 'User login session' });

/**
 * `user.login.started`, `.step.updated` and `.succeeded`. The specification names `user.login.failed` and does
 * not describe its payload, so the contract does not contain it.
 */
export const userLoginAttempt = object({ ...everyEvent, ...attempt }).meta({ title: 'User login attempt' });
