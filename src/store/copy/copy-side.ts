/** The two sides of a copy: what each database can do for it, whichever kind it is. */
import { setImmediate as turn } from 'node:timers/promises';
import type { NewAuditEntry } from '../audit.ts';
import type { CopiedTable } from './copied-tables.ts';

/** A value as both stores mean it. Integers are exact, whatever their size. */
export type Value = null | bigint | number | string | Uint8Array;

/** The values of a row, in the order of the table's columns. */
export type Row = readonly Value[];

/** The values of the columns of a key. */
export type Key = readonly (bigint | string)[];

/** The rows of a page, at most. */
export const PAGE_ROWS = 2_000;

/** The bytes of long columns in a page, unless one row has more. */
export const PAGE_BYTES = 8 * 1024 * 1024;

/** Reads the rows of one of the two databases of a copy. */
export interface CopyReads {
  /** Returns the number of rows; of a table of counts that of its changes. */
  count(table: CopiedTable): Promise<number>;
  /** Returns the next rows in the order of the key; none at the end. */
  page(table: CopiedTable, after: Key | null): Promise<readonly Row[]>;
  /** Returns the sums of a table of counts. */
  sums(table: CopiedTable): Promise<readonly Row[]>;
  /** Returns the last number that each numbered table has used. */
  lastNumbers(): Promise<ReadonlyMap<string, bigint>>;
}

interface CopySide extends CopyReads {
  /** Its path, or its address without the password. */
  readonly location: string;
  readonly isPostgres: boolean;
  /** Undoes what is not committed, and disconnects. */
  close(): Promise<void>;
}

/** The database that is copied. No other process writes it until it is closed. */
export interface CopySource extends CopySide {
  /** Appends an entry to the audit, and returns its number. {@link CopySource.commit} stores it. */
  appendAudit(entry: NewAuditEntry): Promise<bigint>;
  commit(): Promise<void>;
}

/** How far a table is copied. */
export interface TableProgress {
  /** The key of the last row; null before the first one. */
  readonly after: Key | null;
  readonly rows: number;
  /** The digest of these rows (see row-digest.ts). */
  readonly digest: string;
  /** The rows that the source had when the copy began. */
  readonly sourceRows: number;
}

/** What makes a copy whole: the entry of the audit about it, and the last number of each numbered table. */
export interface CopyEnd {
  readonly audit: Row;
  readonly lastNumbers: ReadonlyMap<string, bigint>;
}

/** The database that is written. Nothing but a copy opens it before it is finished. */
export interface CopyTarget extends CopySide {
  /** How far an earlier run has come; null for a new copy. */
  readonly progress: ReadonlyMap<string, TableProgress> | null;
  /**
   * Makes an empty store ready for rows. Called once for a new copy.
   *
   * @param sourceRows the rows of each table in the source
   */
  begin(sourceRows: ReadonlyMap<string, number>): Promise<void>;
  /** Adds rows, and records the progress with them. */
  write(table: CopiedTable, rows: readonly Row[], progress: TableProgress): Promise<void>;
  /** Replaces the rows of a table of counts. */
  replace(table: CopiedTable, rows: readonly Row[], progress: TableProgress): Promise<void>;
  /** Makes the copy a store like any other: from then on every command opens it. */
  finish(end: CopyEnd): Promise<void>;
}

/** Returns the values of some columns of a row. */
export function valuesOf(table: CopiedTable, row: Row, columns: readonly string[]): Value[] {
  const names = Object.keys(table.columns);
  return columns.map((column) => row[names.indexOf(column)] ?? null);
}

export function keyOf(table: CopiedTable, row: Row): Key {
  return valuesOf(table, row, table.key) as (bigint | string)[];
}

/** Returns names as both stores quote them. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** Follows a copy, and may end it between two pages. */
export interface CopyWatch {
  /** Called once with the number of rows to copy and to compare. */
  begin(total: number): void;
  /** Called after each page. */
  rows(count: number, what: string): void;
  readonly signal: AbortSignal;
}

/** Reports a page, and lets an interrupt arrive: SQLite works without a turn of the event loop. */
export async function afterPage(watch: CopyWatch, count: number, what: string): Promise<void> {
  watch.rows(count, what);
  await turn();
  watch.signal.throwIfAborted();
}
