import type { Database, RunResult } from 'better-sqlite3';
import { sql, type Compilable, type RawBuilder } from 'kysely';

/** A query's named parameters, as expressions to put into it. */
export type Named<P> = { readonly [K in keyof P]: RawBuilder<P[K]> };

/** A query that was compiled and prepared once. */
export interface Statement<P, R> {
  get(parameters: P): R | undefined;
  all(parameters: P): R[];
  run(parameters: P): RunResult;
}

/** A value bound at each run, by its name, or one that the query was compiled with. */
type Slot = { readonly name: string } | { readonly constant: unknown };

/**
 * Compiles a Kysely query and prepares it, for the hot path:
 *
 *     const find = prepare(database, (p: Named<{ id: number }>) =>
 *       query.selectFrom('events').selectAll().where('id', '=', p.id));
 *     find.get({ id: 12 });
 *
 * Values written into the query itself stay bound as they were at compile time.
 * Bound by place: by name costs SQLite a lookup of each.
 */
export function prepare<P extends object, R>(
  database: Database,
  build: (parameters: Named<P>) => Compilable<R>,
): Statement<P, R> {
  const names = new Proxy({} as Named<P>, {
    get: (_, name) => sql.raw(`@${String(name)}`),
  });
  const compiled = build(names).compile();
  const { text, slots } = byPlace(compiled.sql, compiled.parameters);
  const statement = database.prepare<unknown[], R>(text);
  const values = (parameters: P): unknown[] =>
    slots.map((slot) => ('name' in slot ? parameters[slot.name as keyof P] : slot.constant));
  return {
    get: (parameters) => statement.get(values(parameters)),
    all: (parameters) => statement.all(values(parameters)),
    run: (parameters) => statement.run(values(parameters)),
  };
}

/** Our queries hold no text in quotes, so an `@name` or `?` is always a parameter. */
function byPlace(
  named: string,
  constants: readonly unknown[],
): { readonly text: string; readonly slots: readonly Slot[] } {
  const slots: Slot[] = [];
  let constant = 0;
  const text = named.replace(/\?|@(\w+)/g, (_, name: string | undefined) => {
    slots.push(name === undefined ? { constant: constants[constant++] } : { name });
    return '?';
  });
  return { text, slots };
}
