import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { Clock } from '../../../kernel/time/clock.ts';
import { describeModes } from '../../../kernel/files/private-files.ts';
import type { StoreCheck } from '../../store.ts';
import type { Connection } from '../sql/connection.ts';
import { MAX_UNKNOWN_KINDS, OTHER_KINDS } from '../statistics/counted-kinds.ts';
import { freeBytes } from './disk-room.ts';
import { allMigrations } from './migrations/all-migrations.ts';
import { schemaLevel } from './migrate.ts';
import { LOG_BYTES, OLDEST_SQLITE, SYNCHRONOUS_FULL, sqliteVersion } from './open-database.ts';
import { isOwned } from './owner-lock.ts';
import { writeAheadLog } from '../commit/write-ahead-log.ts';

/** Below this doctor complains: some ten thousand events of a few kilobytes. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** That wait in the log: no owner lets so many wait unless somebody holds them up. */
const MAX_WAITING_BYTES = 1.25 * LOG_BYTES;

/** What `doctor` says of the store. Never opens the file a second time. */
export async function checkStore(
  { database, clock }: Connection,
  writeSomething: () => Promise<void>,
): Promise<readonly StoreCheck[]> {
  const { name: file } = database;
  return [
    versionCheck(database),
    journalCheck(database),
    durabilityCheck(database),
    schemaCheck(database),
    integrityCheck(database),
    kindsCheck(database),
    await writingCheck(writeSomething, clock),
    ...(database.memory
      ? [memoryCheck()]
      : [fileCheck(file), logCheck(database), diskCheck(file), ownerCheck(file)]),
  ];
}

function versionCheck(database: Database): StoreCheck {
  // Opening refuses older ones, so this only tells which it is.
  return { name: 'sqlite', ok: true, detail: `${sqliteVersion(database)} (at least ${OLDEST_SQLITE})` };
}

function journalCheck(database: Database): StoreCheck {
  const mode = String(database.pragma('journal_mode', { simple: true }));
  const ok = mode === 'wal' || database.memory;
  return { name: 'journal', ok, detail: ok ? mode : `${mode}: put the file on a local file system` };
}

function durabilityCheck(database: Database): StoreCheck {
  const ok = database.pragma('synchronous', { simple: true }) === SYNCHRONOUS_FULL;
  const detail = ok
    ? 'full: a commit is on the disk before it is acknowledged'
    : 'not full: acknowledged events can be lost in a power failure; restart the process';
  return { name: 'synchronous', ok, detail };
}

function schemaCheck(database: Database): StoreCheck {
  const level = schemaLevel(database);
  const known = allMigrations.length;
  const detail = `level ${String(level)} of ${String(known)}`;
  return { name: 'schema', ok: level === known, detail };
}

function integrityCheck(database: Database): StoreCheck {
  const found = (database.pragma('quick_check(1)') as readonly { readonly quick_check: string }[])[0];
  const ok = found?.quick_check === 'ok';
  const detail = ok ? 'ok' : `${found?.quick_check ?? 'unreadable'}: restore a copy of the file`;
  return { name: 'integrity', ok, detail };
}

/** Never a fault: beyond the bound they are counted together. */
function kindsCheck(database: Database): StoreCheck {
  const unknown = database
    .prepare<[string], number>(
      'select count(distinct kind) from event_counts where recognized = 0 and kind <> ?',
    )
    .pluck()
    .get(OTHER_KINDS);
  const others = database
    .prepare<[string], number>('select total(events) from event_counts where kind = ?')
    .pluck()
    .get(OTHER_KINDS);
  const found = `${String(unknown ?? 0)} of at most ${String(MAX_UNKNOWN_KINDS)} are counted one by one`;
  return {
    name: 'unknown kinds',
    ok: true,
    detail: (others ?? 0) === 0 ? found : `${found}, ${String(others)} events of others together`,
  };
}

/** A commit of its own, to the disk and back. */
async function writingCheck(writeSomething: () => Promise<void>, clock: Clock): Promise<StoreCheck> {
  const start = clock.monotonic();
  try {
    await writeSomething();
  } catch (error) {
    return { name: 'writing', ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
  const ms = (clock.monotonic() - start).toFixed(1);
  return { name: 'writing', ok: true, detail: `a commit takes ${ms} ms` };
}

function memoryCheck(): StoreCheck {
  return { name: 'file', ok: true, detail: 'in memory: everything is lost when the process ends' };
}

/** The files hold personal data: nobody but their user should open them. */
function fileCheck(file: string): StoreCheck {
  const { isPrivate, text } = describeModes(file);
  return { name: 'file', ok: isPrivate, detail: text };
}

/** What is read stays readable, so the log behind it is kept for as long as somebody reads. */
function logCheck(database: Database): StoreCheck {
  const { pages, moved } = writeAheadLog(database).state();
  const waiting = (pages - moved) * Number(database.pragma('page_size', { simple: true }));
  const found = `${mebibytes(waiting)} wait to be moved into the file`;
  const ok = waiting <= MAX_WAITING_BYTES;
  return {
    name: 'write-ahead log',
    ok,
    detail: ok
      ? found
      : `${found}: another process has been reading it for long; find it by \`fuser ${database.name}\`, and end it or its reading`,
  };
}

function diskCheck(file: string): StoreCheck {
  const free = freeBytes(dirname(file));
  const ok = free >= MIN_FREE_BYTES;
  const found = `${mebibytes(free)} free`;
  return { name: 'disk', ok, detail: ok ? found : `${found}: make room` };
}

function ownerCheck(file: string): StoreCheck {
  const owned = isOwned(file);
  const detail = owned ? 'a process dispatches from this store' : 'no process dispatches from this store';
  return { name: 'owner', ok: true, detail };
}

function mebibytes(bytes: number): string {
  return `${String(Math.floor(bytes / 1024 / 1024))} MiB`;
}
