import { object } from '../field/object.ts';
import { openSet } from '../field/open-set.ts';
import { recordId, truth } from '../field/scalars.ts';
import { timestamp } from '../field/timestamp.ts';
import { loginService, loginStatus, loginStep } from './login-sets.ts';

/** A company's connection to the government portal (specification, Resources, login block). */
export const login = object({
  id: recordId.nullish().describe('Id of the connection.'),
  type: openSet(['certificate', 'username']).nullish().describe('What the connection signs in with.'),
  status: loginStatus.nullish().describe('Outcome of the connection process.'),
  service: loginService.nullish().describe('The portal.'),
  connected: truth.nullish().describe('Whether a session is active now.'),
  connected_at: timestamp.nullish().describe('Last connection; null before the first.'),
  disconnected_at: timestamp.nullish().describe('Last disconnection; null before the first.'),
  step: loginStep
    .nullish()
    .describe('Stage of the connection process; after a failure the stage where the error happened.'),
});
