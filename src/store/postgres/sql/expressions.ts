/** Lists as parameters of SQL: conditions, tables of rows, and inserts. */
import { sql, type RawBuilder } from 'kysely';

/** The type of an array's elements, as PostgreSQL calls it. */
export type ElementType = 'bigint' | 'integer' | 'smallint' | 'text' | 'bytea' | 'double precision';

/** A list of any length as one parameter, for `= any(...)`. */
export function arrayOf<T extends string | number | Uint8Array | null>(
  values: readonly T[],
  type: ElementType,
): RawBuilder<T> {
  return template(['', `::${type}[]`], [values]);
}

/** The condition that an expression is one of the values. */
export function isAnyOf(
  expression: string,
  values: readonly (string | number)[],
  type: ElementType,
): RawBuilder<boolean> {
  return template([`${expression} = any(`, `::${type}[])`], [values]);
}

/**
 * The condition that a row is one of those that a query locks and returns by `id`.
 *
 * An array, because `in` may be planned as a join that runs the query again for each row of the table.
 */
export function isLockedAs(locking: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`id = any(array(${locking}))`;
}

/** The type of a column, and its value in a row. */
type Column<R> =
  | readonly [type: Exclude<ElementType, 'text' | 'bytea'>, value: (row: R, index: number) => number | null]
  | readonly [type: 'text', value: (row: R, index: number) => string | null]
  | readonly [type: 'bytea', value: (row: R, index: number) => Uint8Array | null];

/** The columns of a table by their names. */
export type Columns<R> = Readonly<Record<string, Column<R>>>;

/**
 * Rows as a table to select from. Each column is one parameter, so that a statement has the same text for any number
 * of rows. A column `'place'` has the number of each row, from 1.
 */
export function unnestOf<R>(
  table: string,
  rows: readonly R[],
  columns: Readonly<Record<string, Column<R> | 'place'>>,
): RawBuilder<unknown> {
  const ofRows: Record<string, Column<R>> = {};
  const places: string[] = [];
  for (const [name, column] of Object.entries(columns))
    if (column === 'place') places.push(name);
    else ofRows[name] = column;
  const numbered = places.length === 0 ? '' : ' with ordinality';
  const names = [...Object.keys(ofRows), ...places].join(', ');
  return unnested('', rows, ofRows, `${numbered} as ${table} (${names})`);
}

/** The beginning of a statement that inserts rows: `on conflict` or `returning` may follow. */
export function insertOf<R>(table: string, rows: readonly R[], columns: Columns<R>): RawBuilder<unknown> {
  const names = Object.keys(columns).join(', ');
  return unnested(`insert into ${table} (${names}) select * from `, rows, columns, '');
}

/**
 * Inserts as one statement, which the client sends and the server answers once. Each sees the tables as they were before
 * all of them. The number of rows is that of the last one.
 */
export function asOneStatement(inserts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const names = inserts.slice(1).map((_, at) => `${at === 0 ? 'with' : '),'} inserted_${String(at)} as (`);
  return names.length === 0 ? template(['', ''], inserts) : template([...names, ') ', ''], inserts);
}

/** One template: one for each column would take twice as long to compile. */
function unnested<R>(
  before: string,
  rows: readonly R[],
  columns: Columns<R>,
  after: string,
): RawBuilder<unknown> {
  const parts = Object.values(columns);
  const casts = parts.map(([type], index) => `::${type}[]${index < parts.length - 1 ? ', ' : `)${after}`}`);
  const arrays = parts.map(([, value]) => rows.map<string | number | Uint8Array | null>(value));
  return template([`${before}unnest(`, ...casts], arrays);
}

/** An `sql` template from its strings and its parameters. */
function template<T>(strings: readonly string[], parameters: readonly unknown[]): RawBuilder<T> {
  return sql<T>(Object.assign([...strings], { raw: strings }), ...parameters);
}

/** The schema of the tables. The search path finds it, but may name another schema first, in which new tables would be. */
export const ownSchema = sql<number>`(select relnamespace from pg_catalog.pg_class where oid = 'store'::regclass)`;

/** The sequence of a table's numbers, by the name that PostgreSQL gives it: a lookup would read the catalog. */
export function sequenceOf(table: 'events' | 'deliveries' | 'quarantine'): RawBuilder<unknown> {
  return sql`${sql.lit(`${table}_id_seq`)}::regclass`;
}

/** Returns where each part begins when they are put together, from 1; null for one that is missing. */
export function startsOf(parts: readonly (Uint8Array | null)[]): readonly (number | null)[] {
  let start = 1;
  return parts.map((part) => {
    if (part === null) return null;
    const own = start;
    start += part.length;
    return own;
  });
}
