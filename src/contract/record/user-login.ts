import { openSet } from '../field/open-set.ts';
import { login } from './login.ts';

/** An individual user's connection to the government portal (specification, Resources, Individual user). */
export const userLogin = login.extend({
  type: openSet(['certificate', 'password']).nullish().describe('What the connection signs in with.'),
});
