/** The companies of a console user. */
import type { Kysely } from 'kysely';
import type { Change } from '../change.ts';
import type { ProviderTables } from '../database/provider-tables.ts';
import { HttpError } from '../http/http-error.ts';

/** A company named by a sign-in. */
export interface NamedCompany {
  readonly tax_id: string;
  readonly external_uid?: string | undefined;
}

/**
 * Adds companies to a group.
 *
 * @throws HttpError 400 when the organization has no company with one of the CNPJs.
 */
export async function addToGroup(
  { transaction, organization }: Change,
  groupId: number,
  named: readonly NamedCompany[],
): Promise<void> {
  const taxIds = named.map(({ tax_id }) => tax_id);
  const found = await transaction
    .selectFrom('companies')
    .select(['id', 'tax_id'])
    .where('organization_id', '=', organization)
    .where('tax_id', 'in', taxIds)
    .execute();
  const ids = new Map(found.map(({ id, tax_id }) => [tax_id, id]));
  for (const { tax_id, external_uid } of named) {
    const company = ids.get(tax_id);
    if (company === undefined)
      throw new HttpError(400, `companies: the organization has no company with tax_id ${tax_id}`);
    await transaction
      .insertInto('company_group_members')
      .values({
        group_id: groupId,
        company_id: company,
        organization_id: organization,
        external_uid: external_uid ?? null,
      })
      .onConflict((conflict) =>
        external_uid === undefined
          ? conflict.doNothing()
          : conflict.columns(['group_id', 'company_id']).doUpdateSet({ external_uid }),
      )
      .execute();
  }
}

/** Removes companies from a group and ignores those that are not in it. @returns the number of companies removed. */
export async function removeFromGroup(
  { transaction, organization }: Change,
  groupId: number,
  taxIds: readonly string[],
): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('company_group_members')
    .where('group_id', '=', groupId)
    .where('company_id', 'in', (companies) =>
      companies
        .selectFrom('companies')
        .select('id')
        .where('organization_id', '=', organization)
        .where('tax_id', 'in', taxIds),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Selects the companies of a group. */
export function selectGroup(query: Kysely<ProviderTables>, groupId: number) {
  return query
    .selectFrom('company_group_members')
    .innerJoin('companies', 'companies.id', 'company_group_members.company_id')
    .where('company_group_members.group_id', '=', groupId);
}

/** Reads companies of a group for the list of a console user, whose ids are strings (specification, Conventions 9). */
export async function readGroup(query: Kysely<ProviderTables>, groupId: number, ids: readonly number[]) {
  const rows = await selectGroup(query, groupId)
    .select([
      'companies.id',
      'companies.name',
      'companies.tax_id',
      'companies.external_uid',
      'company_group_members.external_uid as group_external_uid',
      'companies.created_at',
      'companies.updated_at',
    ])
    .where('companies.id', 'in', ids)
    .orderBy('companies.id')
    .execute();
  return rows.map(({ id, external_uid, group_external_uid, ...row }) => ({
    id: String(id),
    name: row.name,
    tax_id: row.tax_id,
    external_uid: group_external_uid ?? external_uid,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }));
}
