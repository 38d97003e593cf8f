/** Filters of quarantine entries as conditions in SQL. */
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { QuarantineFilter } from '../../queries.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import { anyOf } from '../sql/expressions.ts';
import { rowOf } from '../../shared/ids.ts';

/** The conditions of a filter on quarantine entries. */
export function entryConditions(
  eb: ExpressionBuilder<DatabaseSchema, 'quarantine'>,
  { ids, source, reason, status, kind, problem, upTo }: QuarantineFilter,
): readonly Expression<SqlBool>[] {
  return [
    ...(ids === undefined ? [] : [eb('id', 'in', anyOf(ids.flatMap((id) => rowOf('q', id) ?? [])))]),
    ...(source === undefined ? [] : [eb('source', '=', source)]),
    ...(reason === undefined ? [] : [eb('reason', '=', reason)]),
    // Worded like the partial indexes.
    ...(status === undefined ? [] : [eb('status', '=', sql.lit(status))]),
    ...(kind === undefined ? [] : [eb('kind', '=', kind)]),
    ...(problem === undefined ? [] : [eb('problem', '=', problem)]),
    ...(upTo === undefined ? [] : [eb('id', '<=', rowOf('q', upTo) ?? 0)]),
  ];
}
