import type { Kysely } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { refuseInactive } from '../users/read-user.ts';
import { readTrafficViolation } from './read-traffic-violation.ts';
import type { ViolationRow } from './traffic-violation-record.ts';

/**
 * A violation whose slips and indications may be seen.
 *
 * @throws Refusal 404; 403 while the link of its user is inactive (specification, Errors).
 */
export async function readAccessibleViolation(
  query: Kysely<ProviderTables>,
  organization: number,
  id: number,
): Promise<ViolationRow> {
  const violation = await readTrafficViolation(query, organization, id);
  const { user_id, user_status } = violation;
  if (user_id !== null && user_status !== null) refuseInactive({ id: user_id, status: user_status });
  return violation;
}
