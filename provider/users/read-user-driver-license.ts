import type { Kysely } from 'kysely';
import { userDriverLicense } from '../../src/contract/record/user-driver-license.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { noLicense } from '../driver-licenses/license-refusals.ts';
import { readUser, refuseInactive } from './read-user.ts';

/** @throws Refusal 403 while the user's link is inactive; 404 without user or licence. */
export async function readUserDriverLicense(query: Kysely<ProviderTables>, organization: number, id: number) {
  const user = await readUser(query, organization, id);
  refuseInactive(user);
  const row = await query
    .selectFrom('user_driver_licenses')
    .selectAll()
    .where('user_id', '=', id)
    .where('organization_id', '=', organization)
    .executeTakeFirst();
  if (row === undefined) throw noLicense();
  return userDriverLicense.parse({
    ...JSON.parse(row.record),
    id: row.id,
    user: { id: user.id, external_uid: user.external_uid },
    created_at: row.created_at,
  });
}
