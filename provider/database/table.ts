/** Describes tables once: their SQL, the types of their rows and the columns that responses show follow from it. */
import type { Generated, SelectType } from 'kysely';

/** A column with values of a type. */
export interface Column<Value, Shown extends boolean = boolean> {
  /** What follows its name in SQL. */
  readonly sql: string;
  /** Whether the record that responses and webhooks carry has a field of this name and value. */
  readonly shown: Shown;
  /** Exists for the compiler only. */
  readonly value?: Value;
}

type Columns = Readonly<Record<string, Column<unknown>>>;

/** A table, as Kysely and the migration see it. */
export interface Table<Name extends string = string, Described extends Columns = Columns> {
  readonly name: Name;
  readonly columns: Described;
  /** Creates the table and its indexes. */
  readonly sql: string;
}

type ValueOf<Described> = Described extends Column<infer Value> ? Value : never;

/** The columns of tables by the names of the tables, for Kysely. */
export type TablesOf<Each extends Table> = {
  -readonly [One in Each as One['name']]: {
    -readonly [Name in keyof One['columns']]: ValueOf<One['columns'][Name]>;
  };
};

type ShownOf<Described> = {
  -readonly [
    Name in keyof Described as Described[Name] extends Column<unknown, true> ? Name : never
  ]: SelectType<ValueOf<Described[Name]>>;
};

interface Rest {
  /** Constraints over several columns. */
  readonly constraints?: readonly string[];
  readonly withoutRowid?: true;
  /** SQL that creates the indexes, and first rows. */
  readonly also?: string;
}

/** Describes a table. Fields of responses have the order of its columns. */
export function table<const Name extends string, Described extends Columns>(
  name: Name,
  columns: Described,
  { constraints = [], withoutRowid, also = '' }: Rest = {},
): Table<Name, Described> {
  const lines = [...Object.entries(columns).map(([column, { sql }]) => `${column} ${sql}`), ...constraints];
  const end = withoutRowid === true ? ' without rowid' : '';
  return { name, columns, sql: `create table ${name} (\n  ${lines.join(',\n  ')}\n)${end};\n${also}` };
}

/** Returns the fields of a row that the record shows as they are stored. */
export function shown<Described extends Columns>(
  { columns }: Table<string, Described>,
  row: ShownOf<Described>,
): ShownOf<Described> {
  const names = Object.keys(columns).filter((name) => columns[name]?.shown);
  return Object.fromEntries(
    names.map((name) => [name, (row as Readonly<Record<string, unknown>>)[name]]),
  ) as ShownOf<Described>;
}

const column = <Value>(sql: string): Column<Value, true> => ({ sql, shown: true });

export const id = column<Generated<number>>('integer primary key autoincrement');

export const text = <Value extends string = string>() => column<Value>('text not null');
export const textOrNull = <Value extends string = string>() => column<Value | null>('text');
export const integer = <Value extends number = number>() => column<Value>('integer not null');
export const integerOrNull = <Value extends number = number>() => column<Value | null>('integer');
export const realOrNull = () => column<number | null>('real');
export const blob = () => column<Uint8Array>('blob not null');

/** The id of a record of another table. */
export const reference = (table: string, action = '') =>
  column<number>(`integer not null references ${table} (id) ${action}`.trimEnd());
export const referenceOrNull = (table: string, action = '') =>
  column<number | null>(`integer references ${table} (id) ${action}`.trimEnd());

/** A column that inserts may leave out. */
export function withDefault<Value>({ sql }: Column<Value>, literal: string): Column<Generated<Value>, true> {
  return { sql: `${sql} default ${literal}`, shown: true };
}

/** A column that responses do not show, or show in another way. */
export function hidden<Value>({ sql }: Column<Value>): Column<Value, false> {
  return { sql, shown: false };
}

/** The organization that a record belongs to. */
export const organization = hidden(reference('organizations'));
