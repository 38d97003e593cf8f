/** Reads users. */
import type { Kysely, Selectable } from 'kysely';
import { userDriverLicense } from '../../src/contract/record/driver-license.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { noLicense } from '../driver-licenses/read-driver-license.ts';
import { notFound, HttpError } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';
import { loginBlock, loginColumns, type LoginColumns } from '../login/read-login.ts';
import { sneBlock, sneColumns, type SneColumns } from '../sne/read-sne.ts';
import type { UserTables } from './user-tables.ts';

type Row = Selectable<UserTables['users']> & LoginColumns & SneColumns;

/** Joins users with their logins and SNE registrations. */
function joinUsers(query: Kysely<ProviderTables>) {
  return query
    .selectFrom('users')
    .innerJoin('logins', (join) =>
      join.onRef('logins.owner_id', '=', 'users.id').on('logins.owner_kind', '=', 'user'),
    )
    .innerJoin('sne_registrations', (join) =>
      join
        .onRef('sne_registrations.owner_id', '=', 'users.id')
        .on('sne_registrations.owner_kind', '=', 'user'),
    );
}

/** Selects the users of an organization, for filters. */
export function selectUsers(query: Kysely<ProviderTables>, organization: number) {
  return joinUsers(query).where('users.organization_id', '=', organization);
}

function selectUserRecords(query: Kysely<ProviderTables>, organization: number) {
  return joinUsers(query)
    .where(inOrganization('users.organization_id', organization))
    .selectAll('users')
    .select([...loginColumns, ...sneColumns]);
}

/** Reads one user. @throws HttpError 404 */
export async function readUser(query: Kysely<ProviderTables>, organization: number, id: number) {
  const row = await selectUserRecords(query, organization).where('users.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('User', id);
  return userRecord(row);
}

/** Reads the users with these ids, ordered by id. */
export async function readUsers(query: Kysely<ProviderTables>, organization: number, ids: readonly number[]) {
  const rows = await selectUserRecords(query, organization)
    .where('users.id', 'in', ids)
    .orderBy('users.id')
    .execute();
  return rows.map(userRecord);
}

/**
 * Checks that the user's data may be read (specification, Authentication 5).
 *
 * @throws HttpError 403 when the user's link with the organization is inactive.
 */
export function requireActiveLink(user: { readonly id: number; readonly status: string }): void {
  if (user.status === 'inactive')
    throw new HttpError(403, `The link of user ${String(user.id)} with the organization is inactive`);
}

function userRecord(row: Row) {
  return {
    id: row.id,
    tax_id: row.tax_id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    external_uid: row.external_uid,
    status: row.status,
    sne: sneBlock(row),
    login: loginBlock(row),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/** Reads the driver licence of a user. @throws HttpError 404 without user or licence; 403 while the link is inactive. */
export async function readUserDriverLicense(query: Kysely<ProviderTables>, organization: number, id: number) {
  const user = await readUser(query, organization, id);
  requireActiveLink(user);
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
