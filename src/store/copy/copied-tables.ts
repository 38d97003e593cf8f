/** What `store copy` carries over: the columns that both schemas have, read as PostgreSQL keeps them. */
import type { ElementType } from '../postgres/sql/expressions.ts';
import { OTHER_KINDS } from '../shared/statistics/count-classes.ts';

/** A value of both stores. */
export type Value = null | number | string | Uint8Array;

export type Row = Readonly<Record<string, Value>>;

/** A table of PostgreSQL with its columns of a kind. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Whether PostgreSQL numbers its rows, by `id`. */
  readonly isNumbered: boolean;
}

export interface Column {
  readonly name: string;
  readonly type: ElementType;
}

/** Tables of both stores that describe running processes: no such process uses the copy. */
export const recordsOfProcesses: readonly string[] = ['processes', 'open_breakers'];

/** Columns of both stores that PostgreSQL computes: it stores some characters as two. */
export const computedColumns: readonly string[] = ['quarantine_counts.bytes'];

/** The kinds outside the contract that PostgreSQL counts together. `is_long` is a function of sqlite-source.ts. */
const countedKind = `case when recognized = 0 and is_long(kind) then '${OTHER_KINDS}' else kind end as kind`;

/** Tables that PostgreSQL has in another form, as queries in SQLite. A pruned event has no row in `event_contents`. */
const queries: Readonly<Record<string, string>> = {
  event_contents: 'select id as event_id, received_at, headers, body from events where body is not null',
  event_counts: `select ${countedKind}, recognized, verdict, events, repeats, last_received_at from event_counts`,
  received_counts: `
    select source, ${countedKind}, max(recognized) as recognized, sum(events) as events,
      min(first_received_at) as first_received_at, max(last_received_at) as last_received_at
    from received_counts group by 1, 2`,
};

/** The query in SQLite for all rows of a table of PostgreSQL. */
export function queryFor(table: string): string {
  return queries[table] ?? `select * from "${table}"`;
}

/** Whether SQLite has a table of PostgreSQL in another form, and not by its name. */
export function isQueried(table: string): boolean {
  return Object.hasOwn(queries, table);
}
