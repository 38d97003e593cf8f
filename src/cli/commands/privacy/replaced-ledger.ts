/** The database that a restored copy has replaced, whose erasures and legal holds `privacy reapply` takes over. */
import { loadConfig } from '../../../config/load-config.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { addressWithoutPassword, isPostgresAddress } from '../../../kernel/postgres-address.ts';
import { readLedger } from '../../../store/open-store.ts';
import type { ErasureTurn, Ledger } from '../../../store/privacy.ts';
import { withDatabase } from '../../database-argument.ts';
import { requireForeignFile } from '../../output/private-file.ts';
import { withoutApi, type Session } from '../../session.ts';

/**
 * Returns the database that is given as an argument or set; null without one.
 *
 * @throws PortariaError `misconfigured`, also for a password in the argument; `invalid-argument` for the own file
 */
export function replacedDatabase(session: Session, from: string | undefined): string | null {
  if (from?.trim() === '')
    throw new PortariaError('invalid-argument', '--from is empty: name the database that was replaced');
  const environment = withoutApi(withDatabase(session.environment(), '--from', from));
  const { database, reapplyFrom } = loadConfig(environment, session.terminal.cwd);
  if (reapplyFrom !== null && !isPostgresAddress(reapplyFrom))
    requireForeignFile(reapplyFrom, reapplyFrom, { database });
  return reapplyFrom;
}

/**
 * Reads the ledger of the replaced database.
 *
 * @param turn in which this process erases: if the other database reports it, that is the database in use
 * @returns also the database as messages show it
 * @throws PortariaError `not-found`, `store-*`, `invalid-argument` for the database in use
 */
export async function readReplaced(
  database: string,
  turn: Pick<ErasureTurn, 'process' | 'since'>,
): Promise<Ledger & { readonly location: string }> {
  const location = isPostgresAddress(database) ? addressWithoutPassword(database) : database;
  const { erasing, ...ledger } = await readLedger(database);
  const isOwn = erasing?.process === turn.process && (erasing.since === null || erasing.since === turn.since);
  if (!isOwn) return { ...ledger, location };
  throw new PortariaError(
    'invalid-argument',
    `${location} is the database in use: name the one that it has replaced`,
  );
}

/**
 * Requires that both databases have been one store, because the subjects of another store are other people.
 *
 * @throws PortariaError `invalid-argument`
 */
export async function requireSameStore(
  database: string,
  { location, storeIds }: Pick<Ledger, 'storeIds'> & { readonly location: string },
): Promise<void> {
  const own = await readLedger(database);
  if (own.storeIds.some((id) => storeIds.includes(id))) return;
  throw new PortariaError(
    'invalid-argument',
    `${location} is of another store, so its legal holds are of other people: name the database that was replaced`,
  );
}
