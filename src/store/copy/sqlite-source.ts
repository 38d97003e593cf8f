/** A store in SQLite that is copied. */
import { existsSync, realpathSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../kernel/errors.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { NewAuditEntry } from '../audit.ts';
import { appendAudit } from '../shared/audit/audit-writes.ts';
import { MAX_COUNTED_KIND } from '../shared/statistics/count-classes.ts';
import { migrate, needsMigration, schemaLevel } from '../sqlite/file/migrate.ts';
import { openDatabase } from '../sqlite/file/open-database.ts';
import { acquireOwnerLock } from '../sqlite/file/owner-lock.ts';
import { storeError } from '../sqlite/file/store-error.ts';
import { createConnection } from '../sqlite/sql/connection.ts';
import { sqliteDialect } from '../sqlite/sql/dialect.ts';
import { perform } from '../sqlite/sql/perform.ts';
import { queryFor, isQueried, type CopiedTable, type Row } from './copied-tables.ts';
import { bytesOf } from './row-digest.ts';

/** The rows of a page, at most. */
export const PAGE_ROWS = 2_000;

/** The bytes of a page, unless one row has more. */
export const PAGE_BYTES = 8 * 1024 * 1024;

/** The database that is copied. No other process writes it until it is closed. */
export interface CopySource {
  readonly location: string;
  readonly storeId: string;
  /** Returns the columns that a table of PostgreSQL has here; none for one that is of PostgreSQL alone. */
  columnsOf(table: string): readonly string[];
  count(table: CopiedTable): number;
  /** Returns all rows, in pages. */
  pages(table: CopiedTable): Iterable<readonly Row[]>;
  /** Returns the last number that a table has used, also of a row that is deleted. */
  lastNumber(table: CopiedTable): number;
  /** Appends an entry to the audit. {@link CopySource.commit} stores it. */
  appendAudit(entry: NewAuditEntry): void;
  commit(): void;
  /** Undoes what is not committed, and closes the file. */
  close(): void;
}

/**
 * Opens a store in SQLite to copy it. Until it is closed it has no other owner, and no command writes it: what is
 * accepted or changed meanwhile would be missing in the copy.
 *
 * @throws PortariaError `not-found`, `store-locked` while a process owns it, `store-busy` while a command writes it
 */
export function openSqliteSource(path: string, clock: Clock): CopySource {
  if (!existsSync(path)) throw noStore(path);
  const file = realpathSync(path);
  const lock = acquireOwnerLock(file);
  let database: Database | undefined;
  try {
    database = openDatabase(file);
    if (schemaLevel(database) === 0) throw noStore(file);
    if (needsMigration(database)) migrate(database);
    database.exec('begin immediate');
    return sourceOf(database, clock, () => lock.release());
  } catch (error) {
    database?.close();
    lock.release();
    throw storeError(error, file);
  }
}

function noStore(path: string): PortariaError {
  return new PortariaError('not-found', `There is no store in ${path}: check --from`);
}

function sourceOf(database: Database, clock: Clock, release: () => void): CopySource {
  database.function('is_long', { deterministic: true }, (kind) =>
    String(kind).length > MAX_COUNTED_KIND ? 1 : 0,
  );
  const one = (text: string, ...values: string[]): unknown =>
    database
      .prepare<string[]>(text)
      .pluck()
      .get(...values);
  const hasTable = (name: string): boolean =>
    isQueried(name) || one("select 1 from sqlite_schema where type = 'table' and name = ?", name) === 1;
  return {
    location: database.name,
    storeId: String(one('select installation from store')),
    columnsOf: (name) =>
      hasTable(name)
        ? database
            .prepare(queryFor(name))
            .columns()
            .map((column) => column.name)
        : [],
    count: ({ name }) => Number(one(`select count(*) from (${queryFor(name)})`)),
    pages: (table) => pagesOf(database, table),
    lastNumber: ({ name }) =>
      Number(
        one(
          `select coalesce((select seq from sqlite_sequence where name = ?), (select max(id) from "${name}"), 0)`,
          name,
        ),
      ),
    appendAudit(entry) {
      perform(createConnection(database, '', clock), appendAudit(sqliteDialect, entry));
    },
    commit() {
      database.exec('commit');
    },
    close() {
      if (database.inTransaction) database.exec('rollback');
      database.close();
      release();
    },
  };
}

function* pagesOf(database: Database, { name, columns }: CopiedTable): Iterable<readonly Row[]> {
  const chosen = columns.map((column) => `"${column.name}"`).join(', ');
  const query = database.prepare<[], Row>(`select ${chosen} from (${queryFor(name)})`);
  let page: Row[] = [];
  let bytes = 0;
  for (const row of query.iterate()) {
    page.push(row);
    bytes += bytesOf(row);
    if (page.length < PAGE_ROWS && bytes < PAGE_BYTES) continue;
    yield page;
    page = [];
    bytes = 0;
  }
  if (page.length > 0) yield page;
}
