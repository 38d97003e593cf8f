/** Checks databases against their files and the environment of the client, and resolves their paths. */
import { resolve } from 'node:path';
import type { Problem } from '../kernel/errors.ts';
import { isPostgresAddress } from '../kernel/postgres-address.ts';
import { allowsDirect, negotiationProblem, tlsModeProblem } from './database-tls.ts';
import type { Environment, ReadSettings } from './read-settings.ts';

/** The settings that may take an address of PostgreSQL. */
const ALL = ['PORTARIA_DATABASE', 'PORTARIA_DATABASE_DIRECT'] as const;

/** Returns the mistakes that a database's setting does not show by itself, each with its remedy. */
export function databaseProblems(env: Environment, settings: ReadSettings): readonly Problem[] {
  return [...fileProblems(settings), ...environmentProblems(env, settings)];
}

/** A file that holds only a password would be read as the path of a new SQLite file. */
function fileProblems({ values, origin }: ReadSettings): readonly Problem[] {
  const name = 'PORTARIA_DATABASE';
  const where = origin(name);
  const database = values[name];
  if (where === name || database === undefined || isPostgresAddress(database)) return [];
  const message = `must name a file with a whole address (postgres://user:password@host/database), not with a password alone; the path of an SQLite file belongs in ${name}`;
  return [{ where, message }];
}

/** The client of PostgreSQL reads these variables where the address has no such parameter. */
function environmentProblems(
  { PGSSLMODE: mode = '', PGSSLNEGOTIATION: negotiation = '' }: Environment,
  { values, origin }: ReadSettings,
): readonly Problem[] {
  const addresses = ALL.flatMap((name) => {
    const address = values[name];
    return address !== undefined && isPostgresAddress(address)
      ? [{ where: origin(name), parameters: new URL(address).searchParams }]
      : [];
  });
  if (addresses.length === 0) return [];
  const problems: Problem[] = [];
  const add = (where: string, message: string | undefined): void => {
    if (message !== undefined) problems.push({ where, message });
  };
  if (mode !== '') add('PGSSLMODE', tlsModeProblem(mode));
  if (negotiation !== '') add('PGSSLNEGOTIATION', negotiationProblem(negotiation));
  const unfit = addresses.find(({ parameters }) => !allowsDirect(parameters, mode));
  if (negotiation === 'direct' && unfit !== undefined)
    add(
      'PGSSLNEGOTIATION',
      `is direct, but ${unfit.where} has no TLS; add sslmode=verify-full to that address, or unset this`,
    );
  return problems;
}

/** Resolves a path; an address and `:memory:` stay as they are. */
export function resolveDatabase(cwd: string, database: string): string {
  return database === ':memory:' || isPostgresAddress(database) ? database : resolve(cwd, database);
}
