/** Keeps erasures in one file apart: those of `serve` and of commands beside it. */
import { chownSync, existsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import BetterSqlite3, { type Database } from 'better-sqlite3';
import { createPrivateFile, ERASURE_LOCK_SUFFIX } from '../../../kernel/files/private-files.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { ErasingProcess, Privacy } from '../../privacy.ts';
import { erasureRefused, processName } from '../../shared/privacy/erasure-ledger.ts';
import { IN_MEMORY } from '../file/open-database.ts';
import { storeError } from '../file/store-error.ts';

/** Outlasts a process that only asks who erases, in milliseconds; the wait blocks this thread. */
const TIMEOUT_MS = 20;

type OneErasure = Pick<Privacy, 'eraseAlone' | 'erasing'>;

/** A lock that is held until it is released, or until its process ends. */
interface Held {
  readonly since: number;
  readonly release: () => void;
}

/** @param location the store's file, with symbolic links resolved */
export function createOneErasure(location: string, clock: Pick<Clock, 'now'>): OneErasure {
  const own = processName(hostname(), process.pid);
  const lock = location === IN_MEMORY ? createLockInMemory(own, clock) : createFileLock(location, own, clock);
  return {
    async eraseAlone(work) {
      const { since, release } = lock.take();
      try {
        return await work({ process: own, since, signal: new AbortController().signal });
      } finally {
        release();
      }
    },
    erasing: async () => lock.holder(),
  };
}

interface Lock {
  /** @throws PortariaError `erasure-refused` while another one has it */
  take(): Held;
  holder(): ErasingProcess | null;
}

/** No other process can open a store in memory. */
function createLockInMemory(own: string, clock: Pick<Clock, 'now'>): Lock {
  let holder: ErasingProcess | null = null;
  return {
    take() {
      if (holder !== null) throw erasureRefused(holder);
      const since = clock.now();
      holder = { process: own, since };
      return { since, release: () => (holder = null) };
    },
    holder: () => holder,
  };
}

/**
 * The lock is SQLite's for writers, on a file of its own: the operating system releases it with the process. Others may
 * still read that file, which says who has the lock.
 */
function createFileLock(location: string, own: string, clock: Pick<Clock, 'now'>): Lock {
  const file = `${location}${ERASURE_LOCK_SUFFIX}`;

  function open(): Database {
    try {
      if (!existsSync(file)) {
        createPrivateFile(file);
        giveToOwnerOf(location, file);
      }
      return new BetterSqlite3(file, { timeout: TIMEOUT_MS });
    } catch (error) {
      throw storeError(error, file);
    }
  }

  return {
    take() {
      const database = open();
      try {
        const since = clock.now();
        if (!tryLock(database)) throw erasureRefused(readHolder(database));
        writeHolder(database, { process: own, since });
        // The commit that publishes our name also releases the lock. Take it again, and check that nobody got it in
        // between.
        if (!tryLock(database)) throw erasureRefused(readHolder(database));
        const holder = readHolder(database);
        if (holder?.process !== own || holder.since !== since) throw erasureRefused(holder);
        return { since, release: () => database.close() };
      } catch (error) {
        database.close();
        throw storeError(error, file);
      }
    },
    holder() {
      if (!existsSync(file)) return null;
      const database = openToAsk(file);
      try {
        return database === null || tryLock(database) ? null : readHolder(database);
      } catch (error) {
        throw storeError(error, file);
      } finally {
        database?.close();
      }
    },
  };
}

/** As SQLite does with its files: what root erases must not keep the owner of the database from erasing. */
function giveToOwnerOf(location: string, file: string): void {
  const owner = process.geteuid?.() === 0 ? statSync(location, { throwIfNoEntry: false }) : undefined;
  if (owner !== undefined) chownSync(file, owner.uid, owner.gid);
}

/** Null when another user made the file: who may not ask can read the ledger all the same. */
function openToAsk(file: string): Database | null {
  try {
    return new BetterSqlite3(file, { timeout: 0 });
  } catch {
    return null;
  }
}

function tryLock(database: Database): boolean {
  return (
    unlessBusy(() => {
      database.exec('begin immediate');
      return true;
    }) ?? false
  );
}

function writeHolder(database: Database, { process: name, since }: ErasingProcess): void {
  database.exec(
    'create table if not exists holder (id integer primary key check (id = 1), process text not null, since integer not null) strict',
  );
  database.prepare('insert or replace into holder values (1, ?, ?)').run(name, since);
  database.exec('commit');
}

/** Null also while a process writes that it has the lock. */
function readHolder(database: Database): ErasingProcess | null {
  return unlessBusy(() => {
    const isThere = database.prepare("select 1 from sqlite_schema where name = 'holder'").get() !== undefined;
    if (!isThere) return null;
    return database.prepare<[], ErasingProcess>('select process, since from holder').get() ?? null;
  });
}

function unlessBusy<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (storeError(error, '').code === 'store-busy') return null;
    throw error;
  }
}
