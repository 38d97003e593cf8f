import { PortariaError } from '../kernel/errors.ts';
import { hasPasswordParameter } from '../kernel/postgres-address.ts';

/**
 * Returns a database that was given as an argument. Every user of the machine can read the arguments of a process.
 *
 * @param setting the environment variable that may have a password
 * @throws PortariaError `misconfigured` for an address with a password
 */
export function requireNoPassword(option: string, database: string, setting: string): string {
  if (!/^postgres/iu.test(database) || !URL.canParse(database)) return database;
  if (new URL(database).password === '' && !hasPasswordParameter(database)) return database;
  throw new PortariaError('misconfigured', 'The settings are not valid', {
    problems: [
      {
        where: option,
        message: `must not contain a password, because others can read the arguments of a process; set ${setting}, or keep the password in ~/.pgpass or PGPASSWORD`,
      },
    ],
  });
}
