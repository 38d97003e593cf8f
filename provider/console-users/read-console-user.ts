/** Reads console users. */
import type { Kysely, Selectable } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';
import type { ConsoleUserTables } from './console-user-tables.ts';

type Row = Selectable<ConsoleUserTables['console_users']>;

/** Reads the row of a console user, including columns that the record omits. @throws HttpError 404 */
export async function findConsoleUser(
  query: Kysely<ProviderTables>,
  organization: number,
  id: string,
): Promise<Row> {
  const row = await query
    .selectFrom('console_users')
    .selectAll()
    .where('organization_id', '=', organization)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw notFound('Console user', id);
  return row;
}

/** Reads the console users with these numbers, ordered by number. */
export async function readConsoleUsers(
  query: Kysely<ProviderTables>,
  organization: number,
  numbers: readonly number[],
) {
  const rows = await query
    .selectFrom('console_users')
    .selectAll()
    .where(inOrganization('organization_id', organization))
    .where('number', 'in', numbers)
    .orderBy('number')
    .execute();
  return rows.map(consoleUserRecord);
}

/** Converts a row to the record that responses and webhooks carry (specification, Resources, Console user). */
export function consoleUserRecord(row: Row) {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    external_uid: row.external_uid,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
