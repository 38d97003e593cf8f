/** Reads what the settings of databases have in common: their files, the environment of the client, and paths. */
import { resolve } from 'node:path';
import type { Problem } from '../kernel/errors.ts';
import { isPostgresAddress } from '../kernel/postgres-address.ts';
import { tlsModeProblem } from './database-tls.ts';
import type { Environment, ReadSettings } from './read-settings.ts';

/** The settings that take the path of an SQLite file or an address of PostgreSQL. */
const EITHER = ['PORTARIA_DATABASE', 'PORTARIA_COPY_TO', 'PORTARIA_REAPPLY_FROM'] as const;
const ALL = [...EITHER, 'PORTARIA_DATABASE_DIRECT'] as const;

/** Returns the mistakes that a database's setting does not show by itself, each with its remedy. */
export function databaseProblems(env: Environment, settings: ReadSettings): readonly Problem[] {
  return [...fileProblems(settings), ...environmentProblems(env, settings)];
}

/** A file that holds only a password would be read as the path of a new SQLite file. */
function fileProblems({ values, origin }: ReadSettings): readonly Problem[] {
  return EITHER.flatMap((name) => {
    const where = origin(name);
    const database = values[name];
    if (where === name || database === undefined || isPostgresAddress(database)) return [];
    const message = `must name a file with a whole address (postgres://user:password@host/database), not with a password alone; the path of an SQLite file belongs in ${name}`;
    return [{ where, message }];
  });
}

/** The client of PostgreSQL uses PGSSLMODE where the address has no sslmode. */
function environmentProblems(
  { PGSSLMODE: mode = '' }: Environment,
  { values }: ReadSettings,
): readonly Problem[] {
  const addresses = ALL.map((name) => values[name]);
  if (mode === '' || !addresses.some((address) => address !== undefined && isPostgresAddress(address)))
    return [];
  const message = tlsModeProblem(mode);
  return message === undefined ? [] : [{ where: 'PGSSLMODE', message }];
}

/** Resolves a path; an address and `:memory:` stay as they are. */
export function resolveDatabase(cwd: string, database: string): string {
  return database === ':memory:' || isPostgresAddress(database) ? database : resolve(cwd, database);
}
