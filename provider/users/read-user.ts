import type { Kysely, Selectable } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound, Refusal } from '../http/refusal.ts';
import { inOrganization } from '../list/in-organization.ts';
import { loginBlock, loginColumns, type LoginColumns } from '../login/login-block.ts';
import { sneBlock, sneColumns, type SneColumns } from '../sne/sne-block.ts';
import type { UserTables } from './user-tables.ts';

type Row = Selectable<UserTables['users']> & LoginColumns & SneColumns;

/** Users with what belongs to them. */
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

/** The users of an organization, for looking for some of them. */
export function selectUsers(query: Kysely<ProviderTables>, organization: number) {
  return joinUsers(query).where('users.organization_id', '=', organization);
}

function selectUsersRecords(query: Kysely<ProviderTables>, organization: number) {
  return joinUsers(query)
    .where(inOrganization('users.organization_id', organization))
    .selectAll('users')
    .select([...loginColumns, ...sneColumns]);
}

const findUser = (query: Kysely<ProviderTables>, organization: number, id: number) =>
  selectUsersRecords(query, organization).where('users.id', '=', id).executeTakeFirst();

/** @throws Refusal 404 */
export async function readUser(query: Kysely<ProviderTables>, organization: number, id: number) {
  const row = await findUser(query, organization, id);
  if (row === undefined) throw notFound('User', id);
  return userRecord(row);
}

/** Those with these ids, in the order of their ids. */
export async function readUsers(query: Kysely<ProviderTables>, organization: number, ids: readonly number[]) {
  const rows = await selectUsersRecords(query, organization)
    .where('users.id', 'in', ids)
    .orderBy('users.id')
    .execute();
  return rows.map(userRecord);
}

/**
 * For endpoints that read a user's data (specification, Authentication 5).
 *
 * @throws Refusal 403 when the link is inactive.
 */
export function refuseInactive(user: { readonly id: number; readonly status: string }): void {
  if (user.status === 'inactive')
    throw new Refusal(403, `The link of user ${String(user.id)} with the organization is inactive`);
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
