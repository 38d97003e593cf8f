import type { Database, RunResult } from 'better-sqlite3';
import { sql, type Compilable, type RawBuilder } from 'kysely';

/** What SQLite can bind. */
type Bindable = string | number | Uint8Array | null;

/** A query's named parameters, as expressions to put into it. */
export type Named<P> = { readonly [K in keyof P]: RawBuilder<P[K]> };

/** A query that was compiled and prepared once. */
export interface Statement<P, R> {
  get(parameters: P): R | undefined;
  all(parameters: P): R[];
  run(parameters: P): RunResult;
}

/**
 * Compiles a Kysely query and prepares it, for the hot path:
 *
 *     const find = prepare(database, (p: Named<{ id: number }>) =>
 *       query.selectFrom('events').selectAll().where('id', '=', p.id));
 *     find.get({ id: 12 });
 *
 * Values written into the query itself stay bound as they were at compile time.
 */
export function prepare<P extends object, R>(
  database: Database,
  build: (parameters: Named<P>) => Compilable<R>,
): Statement<P, R> {
  const names = new Proxy({} as Named<P>, {
    get: (_, name) => sql.raw(`@${String(name)}`),
  });
  const compiled = build(names).compile();
  const statement = database.prepare<unknown[], R>(compiled.sql);
  const constants = compiled.parameters as readonly Bindable[];
  return {
    get: (parameters) => statement.get(...constants, parameters),
    all: (parameters) => statement.all(...constants, parameters),
    run: (parameters) => statement.run(...constants, parameters),
  };
}
