/** Opens the store in SQLite or in PostgreSQL, by its address, or reads the ledger of another one. */
import { existsSync } from 'node:fs';
import type { DataOf } from '../event/stored-event.ts';
import { PortariaError } from '../kernel/errors.ts';
import { isPostgresAddress } from '../kernel/postgres-address.ts';
import type { Random } from '../kernel/random.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { renewInSqlite } from './sqlite/copies/new-store-id.ts';
import { openSqliteStore } from './sqlite/open-sqlite-store.ts';
import type { OnStoreWarning, RenewalOptions, RenewedStoreId, Store, StoreRole } from './store.ts';

/** Where a store is. A configuration is one: every command opens the store in the same way. */
export interface StoreAddress {
  /** The path of an SQLite file, `:memory:`, or the address of a PostgreSQL database. */
  readonly database: string;
  /** The address of the same database without a pooler, for migrations and notifications; of PostgreSQL only. */
  readonly databaseDirect: string | null;
  /** The maximum bytes of all held entries of the quarantine; 1 GiB by default. */
  readonly maxQuarantineBytes?: number;
}

export interface StoreOptions {
  readonly role: StoreRole;
  /** A clock that can follow another one follows that of PostgreSQL. */
  readonly clock: Clock;
  /** Creates no store where there is none; of PostgreSQL only. A file is found by its path. */
  readonly mustExist?: boolean;
  /** Draws the store id of a new store. */
  readonly random?: Random;
  /** Called once when the database must not be written again: the process should exit. */
  readonly onFatal?: (error: PortariaError) => void;
  readonly onWarning?: OnStoreWarning;
  /** Reads the payload of a stored body, by its source; the member `data` by default. */
  readonly dataOf?: DataOf;
}

/**
 * Opens the store in a database. The client of PostgreSQL is loaded only for an address of PostgreSQL.
 *
 * @throws PortariaError `store-*` when the database cannot be used; `not-found` when it must exist and does not
 */
export async function openStore(address: StoreAddress, options: StoreOptions): Promise<Store> {
  const { database, databaseDirect, maxQuarantineBytes } = address;
  const { mustExist = false, ...common } = options;
  const limits = maxQuarantineBytes === undefined ? {} : { maxQuarantineBytes };
  if (!isPostgresAddress(database)) return openSqliteStore({ path: database, ...common, ...limits });
  const { openPostgresStore } = await import('./postgres/open-postgres-store.ts');
  return openPostgresStore({
    ...{ url: database, mustExist, ...common, ...limits },
    ...(databaseDirect !== null && { directUrl: databaseDirect }),
  });
}

/** Whether the database may have a store. That of PostgreSQL is found out by opening it. */
export function mayHaveStore(database: string): boolean {
  return isPostgresAddress(database) || existsSync(database);
}

/**
 * Returns the path of the database, for what works on the file itself.
 *
 * @param instead what serves the same purpose in PostgreSQL
 * @throws PortariaError `invalid-argument` for a database in PostgreSQL
 */
export function requireFile(database: string, instead: string): string {
  if (!isPostgresAddress(database)) return database;
  throw new PortariaError(
    'invalid-argument',
    `This works on an SQLite file, and the database is in PostgreSQL: ${instead}`,
  );
}

/**
 * Gives a store a new store id after it was restored, so that no event gets an id that was given out since the backup.
 *
 * @param options.keepId keeps the id, and only records the server as the known one; for PostgreSQL only
 * @throws PortariaError `store-locked` while a process serves the store, `invalid-argument` for `keepId` of a file
 */
export async function renewStoreId(
  { database }: Pick<StoreAddress, 'database'>,
  { keepId, ...options }: RenewalOptions & { readonly keepId: boolean },
): Promise<RenewedStoreId> {
  if (isPostgresAddress(database)) {
    const { renewInPostgres } = await import('./postgres/database/identity/renew-store-id.ts');
    return renewInPostgres({ url: database, keepId, ...options });
  }
  if (keepId)
    throw new PortariaError(
      'invalid-argument',
      '--keep-id is for a database in PostgreSQL: an SQLite file has no server, and needs nothing when no event was lost',
    );
  return renewInSqlite(database, options);
}
