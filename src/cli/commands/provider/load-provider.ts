/** Loads the provider and opens its database, for its commands, and finds the organization that they name. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { databaseFile } from '../../../config/database-address.ts';
import { errorCode, PortariaError } from '../../../kernel/errors.ts';
import { packageVersion } from '../../../kernel/files/package-files.ts';
import type { Session } from '../../session.ts';
import type { ChaosRates, KnownEndpoint, KnownKey, Provider, SeedResult } from '@portaria/provider';
import { write } from '../../terminal/text-output.ts';

export type { ChaosRates, KnownEndpoint, KnownKey, Provider, SeedResult };

/** Loads the provider, a package of its own. Only its commands need it, and only when they run. */
export const loadProvider = () =>
  import('@portaria/provider').catch((cause: unknown) => {
    const isMissing = errorCode(cause) === 'ERR_MODULE_NOT_FOUND' && String(cause).includes(`'${PACKAGE}'`);
    if (!isMissing) throw cause;
    throw new PortariaError(
      'misconfigured',
      `The provider is a package of its own: npm install --save-dev ${PACKAGE}@${packageVersion()}`,
    );
  });

const PACKAGE = '@portaria/provider';
const FILE = './data/provider.db';

/** Returns the default database file. */
export function defaultProviderFile(cwd: string): string {
  return resolve(cwd, FILE);
}

/** Returns the database file of a command. PORTARIA_DATABASE does not apply: it names the receiver's file. */
export function providerFile(program: Command, { terminal: { cwd } }: Session): string {
  const { database } = program.opts<{ database?: string }>();
  if (database === undefined) return defaultProviderFile(cwd);
  const { error } = databaseFile.safeParse(database);
  if (error !== undefined)
    throw new PortariaError('invalid-argument', `--database ${error.issues[0]?.message ?? ''}`);
  return database === ':memory:' ? database : resolve(cwd, database);
}

/** Opens the provider's database for one command. A provider may be running on it. */
export async function withProvider(
  path: string,
  { terminal }: Session,
  use: (provider: Provider) => Promise<void>,
): Promise<void> {
  const { openProvider } = await loadProvider();
  const provider = openProvider({
    path,
    clock: terminal.clock,
    random: terminal.random,
    onWarning: (warning) => {
      write(terminal.err, `warning: ${warning}\n`);
    },
  });
  try {
    await use(provider);
  } finally {
    await provider.close();
  }
}

/** Finds an organization by name, or the only one if no name is given. */
export async function findOrganization(
  provider: Provider,
  name: string | undefined,
): Promise<{ readonly id: number; readonly name: string }> {
  const { organizations } = await loadProvider();
  const all = await organizations(provider);
  const candidates = name === undefined ? all : all.filter((each) => each.name === name);
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only;
  if (name !== undefined) throw new PortariaError('not-found', `There is no organization ${name}`);
  if (only === undefined)
    throw new PortariaError(
      'not-found',
      'There is no organization yet: portaria provider keys create <organization>',
    );
  throw new PortariaError(
    'invalid-argument',
    `--organization is required, because there are several: ${all.map((each) => each.name).join(', ')}`,
  );
}

/** Limits a list to one organization. */
export function organizationOption(): Option {
  return new Option('--organization <name>', 'only of this organization');
}

/** Returns the id of the named organization; undefined without a name, which means all of them. */
export async function organizationId(
  provider: Provider,
  name: string | undefined,
): Promise<number | undefined> {
  return name === undefined ? undefined : (await findOrganization(provider, name)).id;
}
