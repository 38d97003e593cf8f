import { date } from '../field/date.ts';
import { object } from '../field/object.ts';
import { openSet } from '../field/open-set.ts';

/** A company's digital certificate (specification, Resources, certificate block). */
export const certificate = object({
  status: openSet(['valid', 'expired', 'not_provided']).nullish().describe('Whether it can be used.'),
  issue_date: date.nullish().describe('First day of validity.'),
  expiration_date: date.nullish().describe('Last day of validity.'),
});
