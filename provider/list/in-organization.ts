import { sql, type Expression, type SqlBool } from 'kysely';

/**
 * That records found by their ids are the organization's. The unary plus keeps
 * the condition out of SQLite's choice of index: without statistics it would
 * rather look through all that the organization has than look up a hundred ids.
 *
 * @param column `table.organization_id`
 */
export function inOrganization(column: string, organization: number): Expression<SqlBool> {
  return sql<SqlBool>`+${sql.ref(column)} = ${organization}`;
}
