/** Opens the store for one command, and closes it. */
import type { Config } from '../config/config.ts';
import type { Contract } from '../contract/contract.ts';
import { PortariaError } from '../kernel/errors.ts';
import { mayHaveStore, openStore, type StoreOptions } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { Session } from './session.ts';
import { write } from './terminal/text-output.ts';

export interface OpeningOptions {
  /** With it, events of custom sources have their payload, which its envelopes find in stored bodies. */
  readonly contract?: Contract | undefined;
  /** Creates a database if there is none (default false): an empty one in the wrong folder would hide a wrong path. */
  readonly mayCreate?: boolean;
}

/**
 * Opens the store beside a running `serve`, calls `use`, and closes the store.
 *
 * @throws PortariaError `not-found` when there is no database.
 */
export async function withStore<T>(
  session: Session,
  use: (store: Store, config: Config) => Promise<T>,
  options?: OpeningOptions,
): Promise<T> {
  const store = await openBeside(session, options);
  try {
    return await use(store, session.config());
  } finally {
    await store.close();
  }
}

/** Opens the store as {@link withStore} does, for a command that closes it by itself. */
export async function openBeside(
  session: Session,
  { contract, mayCreate = false }: OpeningOptions = {},
): Promise<Store> {
  const config = session.config();
  if (!mayCreate) requireDatabase(config);
  const { clock, err } = session.terminal;
  return openExisting(config, {
    role: 'guest',
    mustExist: !mayCreate,
    ...(contract === undefined ? {} : { dataOf: contract.dataOf }),
    clock,
    onWarning(warning) {
      write(err, `warning: ${warning}\n`);
    },
  });
}

/**
 * Throws the error for a record that the store does not hold. Used as `record ?? notFound('delivery', id)`.
 *
 * @param remedy a command that shows what there is.
 * @throws PortariaError `not-found`
 */
export function notFound(what: string, id: string, remedy?: string): never {
  const hint = remedy === undefined ? '' : ` (see \`${remedy}\`)`;
  throw new PortariaError('not-found', `There is no ${what} ${id}${hint}`);
}

/** Names the command that shows what there is in the error for a record that a use case did not find. */
export async function orSee<T>(remedy: string, found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (!PortariaError.is(error, 'not-found')) throw error;
    throw new PortariaError('not-found', `${error.message} (see \`${remedy}\`)`, { cause: error.cause });
  }
}

/** @throws PortariaError `not-found` when there is no database. */
export function requireDatabase({ database }: Pick<Config, 'database'>): void {
  if (!mayHaveStore(database))
    throw noDatabase(`There is no database at ${database}`, 'set the path here or with --database');
}

/** A database of PostgreSQL that has no store is known when it is opened. */
async function openExisting(config: Config, options: StoreOptions): Promise<Store> {
  try {
    return await openStore(config, options);
  } catch (error) {
    if (!PortariaError.is(error, 'not-found')) throw error;
    throw noDatabase(error.message, 'set its address here or with --database');
  }
}

function noDatabase(message: string, remedy: string): PortariaError {
  return new PortariaError('not-found', message, {
    problems: [
      { where: 'PORTARIA_DATABASE', message: `start \`portaria serve\` once to create it, or ${remedy}` },
    ],
  });
}
