/** Runs queries on a connection, or each on one of a pool. */
import type { CompiledQuery, Kysely } from 'kysely';
import type { ClientBase } from 'pg';
import type { PostgresSchema } from '../database/tables/postgres-schema.ts';
import type { StatementNames } from './statement-names.ts';
import { encodeParameter } from './text-codec.ts';

/** A query of Kysely's builders, or an `sql` template. */
export interface Query<R = unknown> {
  compile(database: Kysely<PostgresSchema>): CompiledQuery<R>;
}

/** Runs queries, one after the other. */
export interface Session {
  rows<R>(query: Query<R>): Promise<R[]>;
  /** Returns the first row. */
  first<R>(query: Query<R>): Promise<R | undefined>;
  /** Returns the number of rows that it wrote. */
  run(query: Query): Promise<number>;
}

/** What runs a query: a client in a transaction, or a pool. */
export type Runner = Pick<ClientBase, 'query'>;

export function createSession(
  runner: Runner,
  builder: Kysely<PostgresSchema>,
  names?: StatementNames,
): Session {
  function send(query: Query) {
    const { sql: text, parameters } = query.compile(builder);
    // One without parameters, such as the definition of a day's partition, may have a new text each time.
    const name = parameters.length === 0 ? undefined : names?.nameOf(text);
    return runner.query({
      text,
      values: parameters.map(encodeParameter),
      ...(name !== undefined && { name }),
    });
  }
  const rows = async <R>(query: Query<R>): Promise<R[]> => (await send(query)).rows as R[];
  return {
    rows,
    first: async (query) => (await rows(query))[0],
    run: async (query) => (await send(query)).rowCount ?? 0,
  };
}
