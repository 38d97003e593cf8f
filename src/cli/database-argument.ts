/** The database that is given as an argument, in the place of its setting. */
import type { Environment } from '../config/read-settings.ts';
import { PortariaError } from '../kernel/errors.ts';

/**
 * Returns the settings with the database of `--database`. It takes the place of the setting's value, of its file, and of
 * the direct address, which may be of another database.
 *
 * @throws PortariaError `misconfigured` for an address with a password
 */
export function withDatabase(environment: Environment, database: string | undefined): Environment {
  if (database === undefined) return environment;
  return {
    ...environment,
    PORTARIA_DATABASE: requireNoPassword(database),
    PORTARIA_DATABASE_FILE: '',
    PORTARIA_DATABASE_DIRECT: '',
    PORTARIA_DATABASE_DIRECT_FILE: '',
  };
}

/** Every user of the machine can read the arguments of a process. */
function requireNoPassword(database: string): string {
  const address = database.trim();
  const url = /^postgres/iu.test(address) ? URL.parse(address) : null;
  if (url === null || (url.password === '' && !url.searchParams.has('password'))) return address;
  throw new PortariaError('misconfigured', 'The settings are not valid', {
    problems: [
      {
        where: '--database',
        message:
          'must not contain a password, because others can read the arguments of a process; set PORTARIA_DATABASE, or keep the password in ~/.pgpass or PGPASSWORD',
      },
    ],
  });
}
