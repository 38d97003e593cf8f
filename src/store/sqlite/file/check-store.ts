/** All checks of `doctor` on a store in SQLite. */
import { dirname } from 'node:path';
import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { describeModes } from '../../../kernel/files/private-files.ts';
import { checked, type StoreCheck } from '../../checks.ts';
import { writeAheadLog } from '../commit/batch-commit.ts';
import type { Connection } from '../sql/connection.ts';
import { cannotGrow, freeBytes } from './disk.ts';
import { schemaLevel } from './migrate.ts';
import { newestLevel } from './migrations.ts';
import { MAX_LOG_BYTES, MIN_SQLITE, SYNCHRONOUS_FULL, sqliteVersion } from './open-database.ts';
import { isOwned } from './owner-lock.ts';
import { reserveState } from './reserve.ts';

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
    await writingCheck(database, probe, clock),
    ...(database.memory
      ? [memoryCheck()]
      : [fileCheck(file), logCheck(database), diskCheck(file), reserveCheck(file), ownerCheck(file)]),
  ];
}

function versionCheck(database: Database): StoreCheck {
  // Opening rejects older versions.
  return checked('sqlite', true, { code: 'at-least', version: sqliteVersion(database), least: MIN_SQLITE });
}

function journalCheck(database: Database): StoreCheck {
  const mode = String(database.pragma('journal_mode', { simple: true }));
  const ok = mode === 'wal' || database.memory;
  return checked('journal', ok, ok ? { code: 'verbatim', text: mode } : { code: 'not-local', mode });
}

function durabilityCheck(database: Database): StoreCheck {
  const ok = database.pragma('synchronous', { simple: true }) === SYNCHRONOUS_FULL;
  return checked('synchronous', ok, { code: ok ? 'sqlite-durable' : 'sqlite-not-durable' });
}

function schemaCheck(database: Database): StoreCheck {
  const level = schemaLevel(database);
  return checked('schema', level === newestLevel, { code: 'level', level, known: newestLevel });
}

function integrityCheck(database: Database): StoreCheck {
  const found = database.pragma('quick_check(1)', { simple: true }) as string | undefined;
  const ok = found === 'ok';
  const text = ok ? 'ok' : `${found ?? 'unreadable'}: restore a copy of the file`;
  return checked('integrity', ok, { code: 'verbatim', text });
}

/** Measures one commit. On a full disk, it finds room in the log; a webhook may not. */
async function writingCheck(
  { memory, name: file }: Database,
  probe: () => Promise<void>,
  clock: Clock,
): Promise<StoreCheck> {
  const start = clock.monotonic();
  try {
    await probe();
    if (!memory && cannotGrow(file))
      throw new PortariaError('store-full', `${file}: the disk is full: make room; webhooks get 503`);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return checked('writing', false, { code: 'verbatim', text });
  }
  return checked('writing', true, { code: 'commit', ms: (clock.monotonic() - start).toFixed(1) });
}

function memoryCheck(): StoreCheck {
  return checked('file', true, { code: 'in-memory' });
}

/** The files hold personal data: only their user should be able to open them. */
function fileCheck(file: string): StoreCheck {
  const { isPrivate, text } = describeModes(file);
  return checked('file', isPrivate, { code: 'verbatim', text });
}

/** SQLite keeps the log for as long as a transaction of any process reads it. */
function logCheck(database: Database): StoreCheck {
  const { pages, copied } = writeAheadLog(database).state();
  const waiting = (pages - copied) * Number(database.pragma('page_size', { simple: true }));
  const ok = waiting <= MAX_WAITING_BYTES;
  return checked('write-ahead log', ok, { code: 'log', mib: mebibytes(waiting), file: database.name, ok });
}

function diskCheck(file: string): StoreCheck {
  const free = freeBytes(dirname(file));
  const ok = free >= MIN_FREE_BYTES;
  return checked('disk', ok, { code: 'disk', mib: mebibytes(free), ok });
}

function reserveCheck(file: string): StoreCheck {
  const state = reserveState(file);
  return checked('reserve', state !== 'given-up', { code: 'reserve', state });
}

function ownerCheck(file: string): StoreCheck {
  return checked('owner', true, { code: isOwned(file) ? 'owned' : 'not-owned' });
}

function mebibytes(bytes: number): number {
  return Math.floor(bytes / 1024 / 1024);
}
