import { object } from '../field/object.ts';
import { personal } from '../field/personal.ts';
import { attemptCount, recordId, text, truth } from '../field/scalars.ts';
import { cnpj } from '../field/tax-id.ts';
import { timestamp } from '../field/timestamp.ts';
import { loginService, loginStep } from './login-sets.ts';

/** What every login event says (specification, Events, Login attempt payload fields). */
const everyEvent = {
  id: recordId.describe('Id of the company or user, by the event kind: the two may collide.'),
  external_uid: text.nullish().describe("The caller's own identifier."),
  uid: personal(text).nullish().describe('Login identifier.'),
  service: loginService.nullish().describe('The portal.'),
  connected: truth.describe('Whether a session is active.'),
  step: loginStep.nullable().describe('Stage of the connection process; null when an attempt starts.'),
  occurred_at: timestamp.nullish().describe('When it happened: orders the events of a login.'),
};

const companyOnly = { tax_id: cnpj.nullish().describe('CNPJ of the company, without punctuation.') };

/** Of `connected` and `disconnected`, which report the session. */
const session = {
  connected_at: timestamp
    .nullish()
    .describe('The connection that caused the event, or the last one before a disconnection.'),
  disconnected_at: timestamp
    .nullish()
    .describe('The disconnection that caused the event, or the earlier one; null on a first connection.'),
};

/** Of `started`, `step.updated`, `succeeded` and `failed`, which report an attempt. */
const attempt = {
  attempt: attemptCount.describe(
    'Tries within the step, from 1: up to 3 for password, up to 5 for otp, always 1 for the others.',
  ),
};

const failure = {
  error: personal(text).nullish().describe('The failure text: a refusal by the portal or a technical error.'),
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
 * `user.login.started`, `.step.updated` and `.succeeded`. The specification
 * names `user.login.failed` without saying what it carries, so that kind is not
 * in the contract.
 */
export const userLoginAttempt = object({ ...everyEvent, ...attempt }).meta({ title: 'User login attempt' });
