/** Reads appeals. */
import type { Kysely } from 'kysely';
import type { ProviderTables } from '../database/provider-tables.ts';
import { notFound } from '../http/http-error.ts';
import { inOrganization } from '../list/in-organization.ts';

/** The fields of the resource, in its order. */
const columns = [
  'id',
  'user_id',
  'legal_instance',
  'status',
  'submitted_at',
  'created_at',
  'updated_at',
  'reference_object_id',
  'reference_object_type',
] as const;

function selectRecords(query: Kysely<ProviderTables>, organization: number) {
  return query
    .selectFrom('appeals')
    .select(columns)
    .where(inOrganization('organization_id', organization))
    .orderBy('id');
}

/** Reads one appeal. @throws HttpError 404 */
export async function readAppeal(query: Kysely<ProviderTables>, organization: number, id: number) {
  const row = await selectRecords(query, organization).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('Appeal', id);
  return row;
}

/** Reads the appeals with these ids, ordered by id. */
export async function readAppeals(
  query: Kysely<ProviderTables>,
  organization: number,
  ids: readonly number[],
) {
  return selectRecords(query, organization).where('id', 'in', ids).execute();
}
