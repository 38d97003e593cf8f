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

/**
 * Compiles a Kysely query and prepares it, for the hot path:
 *
 *     const find = prepare(database, (p: Named<{ id: number }>) =>
 *       query.selectFrom('events').selectAll().where('id', '=', p.id));
 *     find.get({ id: 12 });
 *
 * Parameters are bound by place: by name costs SQLite a lookup of each. Values
 * written into the query itself become literals: a bound value that is compared
 * with a partial index's condition, or limits, has SQLite prepare the statement
 * anew at each run, which takes ten times as long as the run.
 */
export function prepare<P extends object, R>(
  database: Database,
  build: (parameters: Named<P>) => Compilable<R>,
): Statement<P, R> {
  const names = new Proxy({} as Named<P>, {
    get: (_, name) => sql.raw(`@${String(name)}`),
  });
  const compiled = build(names).compile();
  const { text, order } = byPlace(compiled.sql, compiled.parameters);
  const statement = database.prepare<unknown[], unknown[]>(text);
  const values = compile<(parameters: P) => unknown[]>(
    'p',
    `[${order.map((name) => `p.${name}`).join(', ')}]`,
  );
  if (!statement.reader) {
    return {
      get: () => undefined,
      all: () => [],
      run: (parameters) => statement.run(values(parameters)),
    };
  }
  statement.raw();
  const members = statement
    .columns()
    .map(({ name }, place) => `${JSON.stringify(name)}: r[${String(place)}]`);
  const row = compile<(values: unknown[]) => R>('r', `({ ${members.join(', ')} })`);
  return {
    get(parameters) {
      const found = statement.get(values(parameters));
      return found === undefined ? undefined : row(found);
    },
    all: (parameters) => statement.all(values(parameters)).map(row),
    run: (parameters) => statement.run(values(parameters)),
  };
}

/**
 * One expression as a function. The binding puts rows together member by
 * member, which takes V8 longer than SQLite takes to find them; an object of
 * one shape, written out, costs next to nothing.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a cast by its caller, who writes the expression
function compile<F>(parameter: string, expression: string): F {
  // oxlint-disable-next-line typescript/no-implied-eval -- of names in our own queries
  return new Function(parameter, `return ${expression};`) as F;
}

/** Kysely writes no `@` and no `?` but these: names and text of ours hold none. */
function byPlace(
  named: string,
  constants: readonly unknown[],
): { readonly text: string; readonly order: readonly string[] } {
  const order: string[] = [];
  let constant = 0;
  const text = named.replace(/\?|@(\w+)/g, (_, name: string | undefined) => {
    if (name === undefined) return literal(constants[constant++]);
    order.push(name);
    return '?';
  });
  return { text, order };
}

/** @throws TypeError for what is no constant of a query */
function literal(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw new TypeError('only text, whole numbers and null are written into a query');
}
