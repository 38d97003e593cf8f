/** An SQLite file that a store is copied into. */
import { statSync } from 'node:fs';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { checkpointAll } from '../../sqlite/commit/checkpoint.ts';
import { migrate, needsMigration, schemaLevel } from '../../sqlite/file/migrate.ts';
import { MAX_LOG_BYTES, openDatabase, prepareFile } from '../../sqlite/file/open-database.ts';
import { acquireOwnerLock } from '../../sqlite/file/owner-lock.ts';
import { storeError, withStoreErrors } from '../../sqlite/file/store-error.ts';
import { isUnfinishedCopy } from '../../sqlite/file/unfinished-copy.ts';
import { copiedTable, copiedTables, type CopiedTable } from '../copied-tables.ts';
import { quoted, type CopyEnd, type CopyTarget, type Row, type TableProgress } from '../copy-side.ts';
import {
  anotherVersion,
  firstProgress,
  PROGRESS_COLUMNS,
  progressOf,
  progressRow,
  progressTable,
  requireNoRows,
} from '../progress-records.ts';
import { createSqliteReads, insertIntoSqlite } from './sqlite-rows.ts';
import { sumOfHeldBytes } from '../table-sums.ts';

/**
 * Opens an SQLite file to copy a store into it: a new or empty one, or an unfinished copy. Nothing is written yet.
 *
 * @throws PortariaError `store-locked` while a process owns it, `invalid-argument` when it is not empty
 */
export async function openSqliteTarget(path: string): Promise<CopyTarget> {
  const file = prepareFile(path);
  const lock = acquireOwnerLock(file);
  let database: Database | undefined;
  try {
    database = openDatabase(file, { mayBeUnfinished: true });
    const progress = await readProgress(database);
    // A power failure may take the last pages, and their progress with them.
    database.pragma('synchronous = normal');
    return targetOf(database, progress, () => lock.release());
  } catch (error) {
    database?.close();
    lock.release();
    throw storeError(error, file);
  }
}

/** Returns the progress of an unfinished copy; null for an empty store. */
async function readProgress(database: Database): Promise<CopyTarget['progress']> {
  const level = schemaLevel(database);
  if (isUnfinishedCopy(database)) {
    if (needsMigration(database)) throw anotherVersion(database.name);
    const rows = database
      .prepare(`select ${quoted(PROGRESS_COLUMNS)} from copy_progress`)
      .raw()
      .all();
    return progressOf(rows as Row[]);
  }
  if (level > 0) await requireNoRows(createSqliteReads(database), database.name);
  return null;
}

function targetOf(database: Database, progress: CopyTarget['progress'], release: () => void): CopyTarget {
  const location = database.name;
  const transaction = (work: () => void): void => {
    database.transaction(work).immediate();
  };
  const saved = () =>
    database.prepare(
      `insert or replace into copy_progress (${quoted(PROGRESS_COLUMNS)}) values (?, ?, ?, ?, ?)`,
    );

  function write(table: CopiedTable, rows: readonly Row[], now: TableProgress, before?: string): void {
    transaction(() => {
      if (before !== undefined) database.exec(before);
      insertIntoSqlite(database, table, rows);
      if (table.name === 'quarantine_counts') database.exec(sumOfHeldBytes);
      saved().run(...progressRow(table, now));
    });
    // A log that holds the whole copy would need as much space again.
    if (statSync(`${location}-wal`).size > MAX_LOG_BYTES) checkpointAll(database);
  }

  return {
    location,
    isPostgres: false,
    progress,
    ...withStoreErrors(
      {
        ...createSqliteReads(database),
        async begin(sourceRows) {
          migrate(database);
          transaction(() => {
            for (const { name } of triggersOf(database)) database.exec(`drop trigger "${name}"`);
            for (const { name } of copiedTables.filter((one) => one.isSeeded === true))
              database.exec(`delete from "${name}"`);
            database.exec(progressTable);
            for (const values of firstProgress(sourceRows)) saved().run(...values);
          });
        },
        async write(table, rows, now) {
          write(table, rows, now);
        },
        async replace(table, rows, now) {
          write(table, rows, now, `delete from "${table.name}"`);
        },
        async finish(end) {
          database.pragma('synchronous = full');
          transaction(() => {
            finish(database, end);
          });
          checkpointAll(database);
        },
        async close() {
          if (!database.open) return;
          database.close();
          release();
        },
      } satisfies Omit<CopyTarget, 'location' | 'isPostgres' | 'progress'>,
      location,
    ),
  };
}

/** No event before it has a body: retention starts there. */
const firstBody = `
update retention set first_body = coalesce(
  (select id from events where body is not null order by id limit 1), (select max(id) + 1 from events), 1
)`;

function finish(database: Database, { audit, lastNumbers }: CopyEnd): void {
  insertIntoSqlite(database, copiedTable('audit'), [audit]);
  for (const { name } of copiedTables.filter(({ numbered }) => numbered === 'used')) {
    const last = lastNumbers.get(name) ?? 0n;
    database.prepare('delete from sqlite_sequence where name = ?').run(name);
    if (last > 0n) database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(name, last);
  }
  database.exec(firstBody);
  const scratch = new BetterSqlite3(':memory:');
  try {
    migrate(scratch);
    for (const { sql } of triggersOf(scratch)) database.exec(sql);
  } finally {
    scratch.close();
  }
  database.exec('drop table copy_progress');
}

function triggersOf(database: Database): readonly { readonly name: string; readonly sql: string }[] {
  return database
    .prepare<[], { name: string; sql: string }>("select name, sql from sqlite_schema where type = 'trigger'")
    .all();
}
