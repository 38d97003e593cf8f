/**
 * The words that differ in the SQL of the two databases. What has no word here has one text for both.
 *
 * A room is written once, as `sql` templates over a {@link SharedConnection}, for both databases:
 *
 *     export function createThings({ read, dialect, ids }: SharedConnection): Pick<Store, 'things'> {
 *       return {
 *         async things(subjects) {
 *           const rows = await read.rows(sql<ThingRow>`
 *             select id, name from things where ${dialect.isAnyOf('subject_id', subjects, 'bigint')} order by id`);
 *           return rows.map(thingRecord);
 *         },
 *       };
 *     }
 *
 *     export function createThingWrites({ clock }: SharedConnection) {
 *       return {
 *         *rename(id: string, name: string): Write<boolean> {
 *           const known = yield* first(sql<ThingRow>`select * from things where id = ${rowOf('t', id) ?? 0}`);
 *           if (known === undefined) return false;
 *           yield* run(sql`update things set name = ${name}, renamed_at = ${clock.now()} where id = ${known.id}`);
 *           return true;
 *         },
 *       };
 *     }
 *
 * A write is a generator, because SQLite runs it in one go inside the transaction of its thread, and PostgreSQL awaits
 * each statement (see statements.ts). `sqlite/commit/write-operations.ts` makes its methods operations by
 * `performed(…)` (sqlite/sql/perform.ts), and `open-postgres-store.ts` transactions by `transacted(…)`.
 *
 * What both databases take, and what only one of them would:
 *
 * - `returning`, `on conflict`, `with`, `filter (where …)`, `is not distinct from`, `update … from`: both.
 * - `insert … select … on conflict` needs a `where`, if only `where true`.
 * - `select 1 from`, not `select from`; a subquery of `from` has a name, and none is a reserved word such as `some`.
 * - A parameter that PostgreSQL cannot type by its context is cast: `cast(${reason} as text)`.
 * - A sum of `bigint` is cast to one: `cast(sum(events) as bigint)`. Truth is 0 or 1: `case when … then 1 else 0 end`.
 * - What a partial index is `where` stands in the text, by `sql.lit` or {@link Dialect.hasStatus}: SQLite does not match
 *   a parameter with it.
 */
import { sql, type RawBuilder } from 'kysely';
import type { DeliveryStatus } from '../../queries.ts';
import type { Write } from './statements.ts';

/** A part of a `where`. */
export type Condition = RawBuilder<boolean>;

/** The condition that all of the conditions hold, if any. */
export function allOf(conditions: readonly Condition[]): Condition {
  return conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`;
}

/** Whether a condition holds, as 1 or 0: what both databases return. */
export function numberOf(condition: RawBuilder<unknown>): RawBuilder<number> {
  return sql`case when ${condition} then 1 else 0 end`;
}

/** The larger of two numbers, neither of which is null. */
export function larger(one: string, other: string): RawBuilder<number> {
  return sql.raw(`case when ${one} > ${other} then ${one} else ${other} end`);
}

/** The smaller of two numbers, neither of which is null. */
export function smaller(one: string, other: string): RawBuilder<number> {
  return sql.raw(`case when ${one} < ${other} then ${one} else ${other} end`);
}

/**
 * How a statement comes from a status to events: it checks each event that it walks for a delivery; or it starts from
 * the deliveries, which are few; or the planner decides.
 */
export type DeliverySearch = 'walked' | 'few' | 'any';

/** What a delivery of an event must be. */
export interface SoughtDelivery {
  readonly status: DeliveryStatus | undefined;
  readonly others: readonly Condition[];
  /** Whether most events have none. */
  readonly isRare: boolean;
}

/** The type of a listed value or of a column of a table of values, as PostgreSQL calls it. */
export type ValueType = 'bigint' | 'text';

/** The columns of a table of values: the type of each, and its value in a row. */
export type ValueColumns<R> = Readonly<
  Record<
    string,
    | readonly [type: 'bigint', value: (row: R) => number | null]
    | readonly [type: 'text', value: (row: R) => string | null]
  >
>;

/** An expression of SQL is text of ours, such as `events.kind`, never a value. */
export interface Dialect {
  /** The condition that an expression is one of the values, which are one parameter, however many they are. */
  isAnyOf(expression: string, values: readonly (string | number)[], type: ValueType): Condition;
  /** The condition that an expression is one of what a query finds, which runs once, before. */
  isFoundBy(expression: string, query: RawBuilder<unknown>): Condition;
  /** Rows of values as a table to select from. Each column is one parameter, or all are. */
  tableOf<R>(name: string, rows: readonly R[], columns: ValueColumns<R>): RawBuilder<unknown>;
  /** The condition that an event is of one of these kinds or wildcards. `*` stands for one or more characters. */
  hasKind(kinds: readonly string[]): Condition;
  /** The condition that a delivery has a status, worded like the partial indexes: they find the rare ones. */
  hasStatus(status: DeliveryStatus): Condition;
  /** The condition that an event has a delivery that is all of what is sought. */
  hasDelivery(sought: SoughtDelivery, search: DeliverySearch): Condition;
  /** The condition that an event was pruned, alone or with its whole day. */
  readonly isPruned: Condition;
  /** The condition that a text begins with another one. */
  startsWith(expression: string, prefix: string): Condition;
  /**
   * The condition that a text has another one in it. JSON is searched as the text that it is: PostgreSQL cannot read
   * JSON in which a string has a NUL or half of a character.
   */
  contains(expression: string, text: string): Condition;
  /** An expression that no index of SQLite is used for, where another one of the statement finds fewer rows. */
  unindexed(expression: string): RawBuilder<unknown>;
  /** A number to order a few rows by: PostgreSQL sorts them then, and does not walk all rows in the order of its index. */
  sorted(expression: string): RawBuilder<number>;
  /** What a query finds in its one column, in its order, as a list that can be compared with others. */
  listOf(column: string, query: RawBuilder<unknown>): RawBuilder<unknown>;
  /** A column that is such a list, as JSON. */
  listAsJson(column: string): RawBuilder<string>;
  /** The numbers of a group in ascending order, as JSON. */
  groupAsJson(column: string): RawBuilder<string>;
  /** A JSON array of values. */
  jsonArray(values: readonly RawBuilder<unknown>[]): RawBuilder<string>;
  /** The last number of a table that was given out; null or 0 when none was. */
  lastNumber(table: 'quarantine' | 'audit'): RawBuilder<number | null>;
  /** Returns the number of the next entry of the audit and the hash before the first. On PostgreSQL, it locks the audit. */
  readonly countAuditEntry: RawBuilder<{ last: number; hash: Uint8Array }>;
  /** The groups of failures as they are, in place of their table and under its name. */
  readonly failureGroups: RawBuilder<unknown>;
  /** Ends a `select` that locks its rows: nothing on SQLite, where one transaction at a time writes. */
  readonly forUpdate: RawBuilder<unknown>;
  /** The same, but it leaves out the rows that another transaction has locked. */
  readonly forUpdateOfFree: RawBuilder<unknown>;
  /** Locks subjects, and so their lanes, until the end of the transaction. It comes before any lock of deliveries. */
  lockSubjects(subjects: readonly number[]): Write<void>;
  /** Keeps stored content from being pruned or erased until the end of the transaction. */
  keepContents(): Write<void>;
  /** Waits for those that keep content, such as holds, and keeps them and other removals waiting until the end. */
  removeContents(): Write<void>;
}
