/** Copies a store from SQLite into PostgreSQL, and compares both: `store copy`. */
import { setImmediate as turn } from 'node:timers/promises';
import { PortariaError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { NewAuditEntry } from '../audit.ts';
import { storeError as postgresError } from '../postgres/database/connections/store-error.ts';
import { storeError as sqliteError } from '../sqlite/file/store-error.ts';
import { codeOf } from '../shared/error-meaning.ts';
import type { CopiedTable } from './copied-tables.ts';
import { openPostgresTarget, type CopyTarget } from './postgres-target.ts';
import { createRowDigest, type RowDigest } from './row-digest.ts';
import { openSqliteSource, PAGE_BYTES, PAGE_ROWS, type CopySource } from './sqlite-source.ts';

/** The two databases of a copy. */
export interface CopyEnds {
  /** The path of an SQLite file. */
  readonly from: string;
  /** The address of an empty database in PostgreSQL. */
  readonly to: string;
}

export interface CopyStoreOptions extends CopyEnds {
  readonly clock: Clock;
  readonly watch: CopyWatch;
  /** The entry of the audit about the copy. It is the last one of both stores. */
  readonly entry: () => NewAuditEntry;
}

/** Follows a copy, and may end it between two pages. */
export interface CopyWatch {
  /** Called once with the number of rows to copy and to compare. */
  begin(total: number): void;
  /** Called after each page. */
  rows(count: number, what: string): void;
  readonly signal: AbortSignal;
}

export interface CopiedStore {
  /** The two databases, without passwords. */
  readonly from: string;
  readonly to: string;
  readonly storeId: string;
  /** The rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * Copies a store into an empty database, and compares both. A copy that ends early leaves the source as it was, and the
 * target empty.
 *
 * @throws PortariaError `store-locked` while the source is served, `invalid-argument` when the target is not empty,
 *   `store-failed` when the two differ
 */
export async function copyStore({ watch, entry, ...ends }: CopyStoreOptions): Promise<CopiedStore> {
  return between(ends, async (source, target) => {
    source.appendAudit(entry());
    const tables = copiedTables(source, target);
    const counts = countRows(source, tables);
    watch.begin(2 * Object.values(counts).reduce((sum, count) => sum + count, 0));
    const digests = new Map<CopiedTable, RowDigest>();
    for (const table of tables) digests.set(table, await copyTable(table, source, target, watch));
    for (const [table, digest] of digests) await compareTable(table, digest, target, watch);
    const numbered = tables.filter(
      ({ isNumbered, columns }) => isNumbered && columns.some(({ name }) => name === 'id'),
    );
    await target.finish(new Map(numbered.map((table) => [table.name, source.lastNumber(table)])));
    source.commit();
    return { from: source.location, to: target.location, storeId: source.storeId, rows: counts };
  });
}

/**
 * Checks both databases as {@link copyStore} does, and counts the rows. Writes nothing.
 *
 * @throws PortariaError as {@link copyStore}
 */
export async function planCopy(
  ends: CopyEnds & { readonly clock: Clock },
): Promise<Omit<CopiedStore, 'storeId'>> {
  return between(ends, async (source, target) => ({
    from: source.location,
    to: target.location,
    rows: countRows(source, copiedTables(source, target)),
  }));
}

/** Opens both databases, and closes them: what is not committed is undone. */
async function between<T>(
  { from, to, clock }: CopyEnds & { readonly clock: Clock },
  work: (source: CopySource, target: CopyTarget) => Promise<T>,
): Promise<T> {
  const source = openSqliteSource(from, clock);
  try {
    const target = await openPostgresTarget(to, clock);
    try {
      return await work(source, target);
    } catch (error) {
      throw codeOf(error).startsWith('SQLITE')
        ? sqliteError(error, source.location)
        : postgresError(error, target.location);
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}

/** The tables and columns that both stores have. */
function copiedTables(source: CopySource, target: CopyTarget): readonly CopiedTable[] {
  return target.tables.flatMap((table) => {
    const here = source.columnsOf(table.name);
    const columns = table.columns.filter(({ name }) => here.includes(name));
    return columns.length === 0 ? [] : [{ ...table, columns }];
  });
}

function countRows(source: CopySource, tables: readonly CopiedTable[]): Record<string, number> {
  return Object.fromEntries(tables.map((table) => [table.name, source.count(table)]));
}

async function copyTable(
  table: CopiedTable,
  source: CopySource,
  target: CopyTarget,
  watch: CopyWatch,
): Promise<RowDigest> {
  const digest = createRowDigest(table);
  await target.empty(table);
  for (const rows of source.pages(table)) {
    for (const row of rows) digest.add(row);
    await target.write(table, rows);
    await afterPage(watch, rows.length, `copying ${table.name}`);
  }
  return digest;
}

/** @throws PortariaError `store-failed` when the rows of the copy are not those of the source */
async function compareTable(
  table: CopiedTable,
  expected: RowDigest,
  target: CopyTarget,
  watch: CopyWatch,
): Promise<void> {
  const digest = createRowDigest(table);
  const atOnce = Math.floor(PAGE_BYTES / Math.max(expected.largest, 1));
  for await (const rows of target.pages(table, Math.max(1, Math.min(atOnce, PAGE_ROWS)))) {
    for (const row of rows) digest.add(row);
    await afterPage(watch, rows.length, `comparing ${table.name}`);
  }
  if (digest.rows === expected.rows && digest.text() === expected.text()) return;
  const [there, here] = [String(expected.rows), String(digest.rows)];
  const found = there === here ? `another content in ${here} rows` : `${here} rows instead of ${there}`;
  throw new PortariaError(
    'store-failed',
    `the table ${table.name} of the copy in ${target.location} has ${found}: the copy was undone, report this`,
  );
}

/** Reports a page, and lets an interrupt arrive: SQLite works without a turn of the event loop. */
async function afterPage(watch: CopyWatch, count: number, what: string): Promise<void> {
  watch.rows(count, what);
  await turn();
  watch.signal.throwIfAborted();
}
