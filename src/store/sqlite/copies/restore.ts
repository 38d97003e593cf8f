/** Replaces the file of a store by a backup: `restore`. */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Database } from 'better-sqlite3';
import { shellWord } from '../../../kernel/text/shell-word.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Random } from '../../../kernel/random.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { checkpointAll } from '../commit/batch-commit.ts';
import { migrate } from '../file/migrate.ts';
import { openDatabase, openForReading } from '../file/open-database.ts';
import { acquireOwnerLock } from '../file/owner-lock.ts';
import { createOneErasure } from '../privacy/one-erasure.ts';
import { requireRoom } from './back-up.ts';
import { contentOf, openCopy, syncToDisk, type CopyContent } from './inspect-copy.ts';
import { createPartFile } from './part-file.ts';
import { giveNewStoreId } from './new-store-id.ts';
import { hasDatabaseHeader, storeIdsOf, usedStoreIds } from './replaced-database.ts';

export interface RestoreOptions {
  /** The backup. It is copied and stays as it is. */
  readonly from: string;
  /** `from` as the user wrote it, for messages. */
  readonly shownAs: string;
  /** The database to replace; it need not exist. */
  readonly to: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /**
   * Called with the checked copy before it takes its place, and with the database
   * that it replaces, if there is one. When it throws, nothing is replaced.
   */
  readonly prepare?: (copy: string, replaced: string | null) => Promise<void>;
}

export interface Restored extends CopyContent {
  /** The store id of the backup: its events keep it. */
  readonly formerStoreId: string;
  /** Where the replaced database is now; null when there was none. */
  readonly setAside: string | null;
  /** Events of the replaced database that are newer than the backup's; null when it cannot be read. */
  readonly newerEvents: number | null;
  /** When the first of these was received, in milliseconds since 1970; null without any. */
  readonly newerSince: number | null;
  /** Entries of the audit that were taken over; null when that of the replaced file does not continue the backup's. */
  readonly auditEntries: number | null;
}

/**
 * Puts a backup in the place of a database. The database is kept under another
 * name. New events get ids with a new store id, because the copy would give out
 * the ids again that were given out since the backup.
 *
 * @throws PortariaError `invalid-argument` while an erasure runs in the database, and for a backup of another one, `store-locked` while a process
 *   owns it, `store-busy` while another has it open, `store-corrupt` and `store-newer` for the backup, `store-full`, `not-found`; nothing is replaced
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { from, shownAs, clock } = options;
  const to = existsSync(options.to) ? realpathSync(options.to) : resolve(options.to);
  requireWholeFile(from, shownAs);
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  const lock = acquireOwnerLock(to);
  try {
    // An erasure of the replaced file meanwhile would be undone by the copy.
    return await createOneErasure(to, clock).eraseAlone(() => replace(options, to));
  } finally {
    lock.release();
  }
}

async function replace(options: RestoreOptions, to: string): Promise<Restored> {
  const { from, shownAs, clock } = options;
  const { path: part, discard } = createPartFile(to);
  try {
    requireRoom(dirname(to), statSync(from).size, shownAs);
    copyFileSync(from, part, constants.COPYFILE_EXCL);
    chmodSync(part, 0o600);
    const copy = openCopy(part, shownAs);
    let formerStoreId: string;
    let content: CopyContent;
    let auditEntries: number | null;
    try {
      migrate(copy);
      const used = usedStoreIds(to);
      rejectForeign(copy, used, shownAs, to);
      formerStoreId = contentOf(copy).storeId;
      auditEntries = takeOverAudit(copy, to);
      giveNewStoreId(copy, used, options);
      content = contentOf(copy);
      copy.pragma('journal_mode = delete');
    } finally {
      copy.close();
    }
    const hasOld = existsSync(to);
    await options.prepare?.(part, hasOld ? to : null);
    syncToDisk(part);
    const { isReadable, ...newer } = hasOld
      ? closeOld(to, content)
      : { isReadable: true, newerEvents: 0, newerSince: null };
    const setAside = hasOld ? freeName(`${to}.before-restore-${stamp(clock.now())}`) : null;
    if (setAside !== null) putAside(to, setAside, isReadable);
    renameSync(part, to);
    syncToDisk(to);
    return { ...content, ...newer, formerStoreId, setAside, auditEntries };
  } finally {
    discard();
  }
}

/** The key of the erasures, the audit and the ids of a backup mean nothing in another database. */
function rejectForeign(copy: Database, used: readonly string[], shownAs: string, to: string): void {
  if (used.length === 0 || storeIdsOf(copy).some((storeId) => used.includes(storeId))) return;
  throw new PortariaError(
    'invalid-argument',
    `${shownAs} is of another database than ${to}: name another file with --database; or move ${to} away, restore, ` +
      'and take its events over with `portaria events export` and `import`',
  );
}

/** A file with a log beside it is the copy of a running database: without the log it would be incomplete. */
function requireWholeFile(from: string, shownAs: string): void {
  const found = statSync(from, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new PortariaError('not-found', `There is no backup ${shownAs}`);
  if ((statSync(`${from}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  throw new PortariaError(
    'store-corrupt',
    `${shownAs} has a write-ahead log beside it, so it is no backup: make one of it with ` +
      `\`portaria backup --database ${shellWord(shownAs)} <file>\`, and restore that`,
  );
}

/**
 * Moves the log of the replaced database into its file and closes it.
 *
 * @throws PortariaError `store-busy` while another process has it open
 */
function closeOld(
  file: string,
  { newestAt, rows }: CopyContent,
): Pick<Restored, 'newerEvents' | 'newerSince'> & { readonly isReadable: boolean } {
  const unreadable = { isReadable: false, newerEvents: null, newerSince: null };
  if (!hasDatabaseHeader(file)) return unreadable;
  let newer: Pick<Restored, 'newerEvents' | 'newerSince'> | undefined;
  let database: Database | undefined;
  try {
    database = openDatabase(file);
    // Events are numbered without gaps. One may have come in the same millisecond as the newest of the backup, and a
    // file that was restored before has numbers of its own.
    newer = database
      .prepare<[number, number], NonNullable<typeof newer>>(
        `select count(*) as newerEvents, min(received_at) as newerSince from events where received_at > ? or id > ?`,
      )
      .get(newestAt ?? -1, rows['events'] ?? 0);
    checkpointAll(database);
  } catch (error) {
    if (PortariaError.is(error, 'store-busy')) throw error;
    // It may be replaced because it is damaged.
    return unreadable;
  } finally {
    database?.close();
  }
  // SQLite removes these with the last connection.
  if (existsSync(`${file}-wal`) || existsSync(`${file}-shm`)) {
    throw new PortariaError(
      'store-busy',
      `another process has ${file} open: end all portaria commands on it, and restore again`,
    );
  }
  return { isReadable: true, newerEvents: 0, newerSince: null, ...newer };
}

/** Gives the file a second name, so that there is a database at every moment, also after a crash. */
function putAside(file: string, aside: string, isReadable: boolean): void {
  if (!isReadable) {
    // SQLite would apply a log that is left behind to the restored file.
    if (existsSync(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`);
    rmSync(`${file}-shm`, { force: true });
  }
  try {
    linkSync(file, aside);
  } catch {
    // A file system without hard links.
    renameSync(file, aside);
  }
}

function stamp(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '') + 'Z';
}

function freeName(wanted: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${String(number)}`;
    if (!existsSync(name)) return name;
  }
}

/**
 * Continues the audit of a copy with the entries that the database it replaces has written since. Otherwise a
 * restore would remove the traces of whoever acted before it.
 *
 * @returns the entries taken over; null when the replaced database has an audit that does not continue the copy's
 */
function takeOverAudit(copy: Database, replaced: string): number | null {
  if (!hasDatabaseHeader(replaced)) return 0;
  let database: Database | undefined;
  try {
    database = openForReading(replaced);
    const entries = database.prepare<[], number>('select count(*) from audit').pluck().get() ?? 0;
    if (entries === 0) return 0;
    const last = copy.prepare<[], Mark>('select id, hash from audit order by id desc limit 1').get();
    const from = last ?? copy.prepare<[], Mark>('select through as id, hash from audit_start').get();
    if (from === undefined || !continues(database, from)) return null;
    const rows = database.prepare<[number], Row>('select * from audit where id > ? order by id');
    return append(copy, database, rows.all(from.id));
  } catch {
    // It may be replaced because it is damaged: the file that is put aside keeps its audit.
    return null;
  } finally {
    database?.close();
  }
}

interface Mark {
  readonly id: number;
  readonly hash: Uint8Array;
}

type Row = Readonly<Record<string, string | number | bigint | Uint8Array | null>>;

/** Whether the last entry of the copy stands in the replaced database, or right before its first. */
function continues(replaced: Database, { id, hash }: Mark): boolean {
  const found =
    replaced.prepare<[number], Uint8Array>('select hash from audit where id = ?').pluck().get(id) ??
    replaced.prepare<[number], Uint8Array>('select hash from audit_start where through = ?').pluck().get(id);
  return found !== undefined && Buffer.compare(found, hash) === 0;
}

function append(copy: Database, replaced: Database, rows: readonly Row[]): number {
  const columns = replaced
    .prepare('select * from audit')
    .columns()
    .map(({ name }) => name);
  const insert = copy.prepare(
    `insert into audit (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  );
  const all = copy.transaction(() => {
    for (const row of rows) insert.run(...columns.map((name) => row[name]));
  });
  all.immediate();
  return rows.length;
}
