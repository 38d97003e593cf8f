/** Prepared statements, from queries of Kysely. */
import { compileFunction } from 'node:vm';
import type { Database, RunResult } from 'better-sqlite3';
import { sql, type Compilable, type RawBuilder } from 'kysely';

/** The named parameters of a query, as expressions to put into it. */
export type Named<P> = { readonly [K in keyof P]: RawBuilder<P[K]> };

/** A query that is compiled and prepared once, when it first runs. */
export interface Statement<P, R> {
  get(parameters: P): R | undefined;
  all(parameters: P): R[];
  run(parameters: P): RunResult;
}

/**
 * Compiles a Kysely query and prepares it when it first runs, for the hot path:
 *
 *     const find = prepare(database, (p: Named<{ id: number }>) =>
 *       query.selectFrom('events').selectAll().where('id', '=', p.id));
 *     find.get({ id: 12 });
 *
 * Parameters are bound by position: SQLite looks up each name. Constants in the
 * query become literals, and a parameter has a plus in front, which changes no
 * value: SQLite prepares a statement again, at ten times the cost of a run, when
 * a bound value by itself meets a partial index or a limit.
 *
 * A command of the command line runs few of the store's statements, so opening a
 * store prepares none.
 */
export function prepare<P extends object, R>(
  database: Database,
  build: (parameters: Named<P>) => Compilable<R>,
): Statement<P, R> {
  // Replaces the members of the statement, so that later runs pay nothing for this.
  const prepared = (): Statement<P, R> => Object.assign(statement, prepareNow(database, build));
  const statement: Statement<P, R> = {
    get: (parameters) => prepared().get(parameters),
    all: (parameters) => prepared().all(parameters),
    run: (parameters) => prepared().run(parameters),
  };
  return statement;
}

/** @throws TypeError for a constant that is not a string, a whole number or null. */
export function prepareNow<P extends object, R>(
  database: Database,
  build: (parameters: Named<P>) => Compilable<R>,
): Statement<P, R> {
  const names = new Proxy({} as Named<P>, {
    get: (_, name) => sql.raw(`@${String(name)}`),
  });
  const compiled = build(names).compile();
  const { text, order } = bindByPosition(compiled.sql, compiled.parameters);
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
    .map(({ name }, index) => `${JSON.stringify(name)}: r[${String(index)}]`);
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

/** Runs a query that writes, synchronously, so that it can be part of a transaction. */
export function runNow(database: Database, query: Compilable): RunResult {
  const { sql: text, parameters } = query.compile();
  return database.prepare(text).run(...parameters);
}

/** Returns the rows of a query, synchronously. */
export function rowsNow<R>(database: Database, query: Compilable<R>): R[] {
  const { sql: text, parameters } = query.compile();
  return database.prepare<unknown[], R>(text).all(...parameters);
}

/**
 * Compiles one expression to a function. The binding builds rows member by
 * member, which takes V8 longer than SQLite takes to find them.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- a cast by its caller, who writes the expression
function compile<F>(parameter: string, expression: string): F {
  const known = compiled.get(expression);
  if (known !== undefined) return known as F;
  // Of names in our own queries.
  const made = compileFunction(`return ${expression};`, [parameter]);
  compiled.set(expression, made);
  return made as F;
}

/** By their texts: another store that this process opens has the same statements. */
const compiled = new Map<string, unknown>();

/** Replaces named parameters by `+?` and constants by literals. Kysely writes no other `@` and `?`. */
function bindByPosition(
  named: string,
  constants: readonly unknown[],
): { readonly text: string; readonly order: readonly string[] } {
  const order: string[] = [];
  let constant = 0;
  const text = named.replace(/\?|@(\w+)/g, (_, name: string | undefined) => {
    if (name === undefined) return literal(constants[constant++]);
    order.push(name);
    return '+?';
  });
  return { text, order };
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw new TypeError('a constant of a query must be a string, a whole number or null');
}
