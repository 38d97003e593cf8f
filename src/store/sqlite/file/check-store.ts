/** All checks of `doctor` on a store in SQLite. */
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import type { Clock } from '../../../kernel/time/clock.ts';
import { describeModes } from '../../../kernel/files/private-files.ts';
import type { StoreCheck } from '../../store.ts';
import { writeAheadLog } from '../commit/checkpoint.ts';
import type { Connection } from '../sql/connection.ts';
import { freeBytes } from './disk.ts';
import { schemaLevel } from './migrate.ts';
import { newestLevel } from './migrations.ts';
import { MAX_LOG_BYTES, MIN_SQLITE, SYNCHRONOUS_FULL, sqliteVersion } from './open-database.ts';
import { isOwned } from './owner-lock.ts';

/** The free bytes below which the check fails: room for ten thousand events of a few kilobytes. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** The bytes in the log above which the check fails: only a long read keeps an owner from checkpointing these. */
const MAX_WAITING_BYTES = 1.25 * MAX_LOG_BYTES;

/** Runs the checks of `doctor`. Never opens the file a second time. */
export async function checkStore(
  { database, clock }: Connection,
  probe: () => Promise<void>,
  { integrity = true }: { readonly integrity?: boolean } = {},
): Promise<readonly StoreCheck[]> {
  const { name: file } = database;
  return [
    versionCheck(database),
    journalCheck(database),
    durabilityCheck(database),
    schemaCheck(database),
    ...(integrity ? [integrityCheck(database)] : []),
    await writingCheck(probe, clock),
    ...(database.memory
      ? [memoryCheck()]
      : [fileCheck(file), logCheck(database), diskCheck(file), ownerCheck(file)]),
  ];
}

function versionCheck(database: Database): StoreCheck {
  // Opening rejects older versions.
  return { name: 'sqlite', ok: true, detail: `${sqliteVersion(database)} (at least ${MIN_SQLITE})` };
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
  const detail = `level ${String(level)} of ${String(newestLevel)}`;
  return { name: 'schema', ok: level === newestLevel, detail };
}

function integrityCheck(database: Database): StoreCheck {
  const found = (database.pragma('quick_check(1)') as readonly { readonly quick_check: string }[])[0];
  const ok = found?.quick_check === 'ok';
  const detail = ok ? 'ok' : `${found?.quick_check ?? 'unreadable'}: restore a copy of the file`;
  return { name: 'integrity', ok, detail };
}

/** Measures one commit. */
async function writingCheck(probe: () => Promise<void>, clock: Clock): Promise<StoreCheck> {
  const start = clock.monotonic();
  try {
    await probe();
  } catch (error) {
    return { name: 'writing', ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
  const ms = (clock.monotonic() - start).toFixed(1);
  return { name: 'writing', ok: true, detail: `a commit takes ${ms} ms` };
}

function memoryCheck(): StoreCheck {
  return { name: 'file', ok: true, detail: 'in memory: everything is lost when the process ends' };
}

/** The files hold personal data: only their user should be able to open them. */
function fileCheck(file: string): StoreCheck {
  const { isPrivate, text } = describeModes(file);
  return { name: 'file', ok: isPrivate, detail: text };
}

/** SQLite keeps the log for as long as a transaction of any process reads it. */
function logCheck(database: Database): StoreCheck {
  const { pages, copied } = writeAheadLog(database).state();
  const waiting = (pages - copied) * Number(database.pragma('page_size', { simple: true }));
  const found = `${mebibytes(waiting)} wait for a checkpoint`;
  const ok = waiting <= MAX_WAITING_BYTES;
  return {
    name: 'write-ahead log',
    ok,
    detail: ok
      ? found
      : `${found}: another process holds a long read transaction; find it with \`fuser ${database.name}\` and end it`,
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
