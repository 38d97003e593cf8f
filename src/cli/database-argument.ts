/** A database that is given as an argument, in the place of its setting. */
import type { Environment } from '../config/read-settings.ts';
import { PortariaError } from '../kernel/errors.ts';

/** Options that name a database, each with the setting whose place it takes. */
const settings = {
  '--database': 'PORTARIA_DATABASE',
  '--from': 'PORTARIA_REAPPLY_FROM',
} as const;

/**
 * Returns the settings with a database that was given as an argument. It takes the place of the setting's value, and of
 * its file; `--database` also of the direct address, which may be of another database.
 *
 * @throws PortariaError `misconfigured` for an address with a password
 */
export function withDatabase(
  environment: Environment,
  option: keyof typeof settings,
  database: string | undefined,
): Environment {
  if (database === undefined) return environment;
  const setting = settings[option];
  return {
    ...environment,
    [setting]: requireNoPassword(option, database, setting),
    [`${setting}_FILE`]: '',
    ...(option === '--database' && { PORTARIA_DATABASE_DIRECT: '', PORTARIA_DATABASE_DIRECT_FILE: '' }),
  };
}

/** Every user of the machine can read the arguments of a process. */
function requireNoPassword(option: string, database: string, setting: string): string {
  const address = database.trim();
  const url = /^postgres/iu.test(address) ? URL.parse(address) : null;
  if (url === null || (url.password === '' && !url.searchParams.has('password'))) return address;
  throw new PortariaError('misconfigured', 'The settings are not valid', {
    problems: [
      {
        where: option,
        message: `must not contain a password, because others can read the arguments of a process; set ${setting}, or keep the password in ~/.pgpass or PGPASSWORD`,
      },
    ],
  });
}
