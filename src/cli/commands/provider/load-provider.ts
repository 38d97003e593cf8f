/** Loads the provider and opens its database, for its commands. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { databaseFile } from '../../../config/database-address.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Session } from '../../session.ts';
import type {
  ChaosRates,
  KnownEndpoint,
  KnownKey,
  Provider,
  SeedResult,
} from '../../../../provider/index.ts';
import { write } from '../../terminal/text-output.ts';

export type { ChaosRates, KnownEndpoint, KnownKey, Provider, SeedResult };

/** Loads the provider, which is another program. Only its commands need it, and only when they run. */
export const loadProvider = () => import('../../../../provider/index.ts');

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
