/** Opens the two databases of a copy by their addresses. */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { PortariaError } from '../../kernel/errors.ts';
import { isPostgresAddress } from '../../kernel/postgres-address.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { IN_MEMORY } from '../sqlite/file/open-database.ts';
import { openSqliteStore } from '../sqlite/open-sqlite-store.ts';
import type { Store } from '../store.ts';
import type { CopySource, CopyTarget } from './copy-side.ts';
import { openSqliteSource } from './sqlite/sqlite-source.ts';
import { openSqliteTarget } from './sqlite/sqlite-target.ts';

/** The databases of a copy: paths of SQLite files, or addresses in PostgreSQL. */
export interface CopyPlaces {
  readonly from: string;
  /** The address of the same database without a pooler. */
  readonly fromDirect?: string | null;
  readonly to: string;
}

/** @throws PortariaError `invalid-argument` when both are one file, or one is in memory */
export function requireTwoDatabases({ from, to }: CopyPlaces): void {
  if (from === IN_MEMORY || to === IN_MEMORY)
    throw new PortariaError('invalid-argument', 'A store in memory cannot be copied: name a file');
  if (isPostgresAddress(from) || isPostgresAddress(to)) return;
  if (realPath(from) !== realPath(to)) return;
  throw new PortariaError('invalid-argument', `${to} is the database that is copied: name another file`);
}

function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** Whether the database is a file that does not exist. */
export function isMissing(database: string): boolean {
  return !isPostgresAddress(database) && !existsSync(database);
}

/** The client of PostgreSQL is loaded only for an address of PostgreSQL. */
export async function openSource({ from, fromDirect }: CopyPlaces, clock: Clock): Promise<CopySource> {
  if (!isPostgresAddress(from)) return openSqliteSource(from, clock);
  const { openPostgresSource } = await import('./postgres/postgres-source.ts');
  return openPostgresSource(fromDirect ?? from, clock);
}

export async function openTarget({ to }: CopyPlaces, clock: Clock): Promise<CopyTarget> {
  if (!isPostgresAddress(to)) return openSqliteTarget(to);
  const { openPostgresTarget } = await import('./postgres/postgres-target.ts');
  return openPostgresTarget(to, clock);
}

/** Opens the store that a finished copy is, for what the first owner of it does. */
export async function openCopied({ to }: CopyPlaces, clock: Clock): Promise<Store> {
  if (!isPostgresAddress(to)) return openSqliteStore({ path: to, role: 'owner', clock, writer: 'local' });
  const { openPostgresStore } = await import('../postgres/open-postgres-store.ts');
  return openPostgresStore({ url: to, role: 'owner', clock });
}
