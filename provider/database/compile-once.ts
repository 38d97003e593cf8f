import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { ProviderTables } from './provider-tables.ts';

type Query = Kysely<ProviderTables>;

/** Stands for a value while the query is put together; no record has such an id. */
const placeholder = (index: number) => Number.MIN_SAFE_INTEGER + index;

/**
 * A query for what is read with every change. Kysely puts a query together anew
 * each time, which takes longer than SQLite takes to run it; here it does so once.
 *
 * @param build gets the organization and the id as values to compare with, and must do nothing else with them.
 * @returns finds the first row.
 */
export function compileOnce<Row>(
  build: (query: Query, organization: number, id: number) => Compilable<Row>,
): (query: Query, organization: number, id: number) => Promise<Row | undefined> {
  let compiled: CompiledQuery<Row> | undefined;
  return async (query, organization, id) => {
    compiled ??= build(query, placeholder(0), placeholder(1)).compile();
    const values = new Map([
      [placeholder(0), organization],
      [placeholder(1), id],
    ]);
    const parameters = compiled.parameters.map((value) =>
      typeof value === 'number' ? (values.get(value) ?? value) : value,
    );
    const { rows } = await query.executeQuery<Row>({ ...compiled, parameters });
    return rows[0];
  };
}
