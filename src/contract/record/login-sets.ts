import { closedSet } from '../field/closed-set.ts';

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
export const loginService = closedSet(['gov_portal']);
