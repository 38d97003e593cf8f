/** The condition that a record looked up by id belongs to an organization. */
import { sql, type Expression, type SqlBool } from 'kysely';

/**
 * Compares the organization of records that are looked up by id. The unary plus keeps
 * SQLite from using an index of the organization: without statistics it would read all
 * of its records instead of looking up the ids.
 *
 * @param column `table.organization_id`
 */
export function inOrganization(column: string, organization: number): Expression<SqlBool> {
  return sql<SqlBool>`+${sql.ref(column)} = ${organization}`;
}
