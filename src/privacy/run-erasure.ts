/** An erasure from its beginning to its receipt, as the command line and a serving process run it. */
import type { AuditLog } from '../store/audit.ts';
import { searchApart } from './files/search-apart.ts';
import {
  concludeErasure,
  databaseFiles,
  entriesOfOperator,
  type Conclusion,
  type ErasedPerson,
} from './conclude-erasure.ts';
import { erasePerson, type ErasedStore, type ErasePersonDeps } from './erase-person.ts';
import type { Identifier } from './identifier.ts';
import { personOf } from './person.ts';
import { relatedIdentifiers } from './related-identifiers.ts';
import type { SearchedFile } from './files/search-files.ts';

/** A store in which a person is erased, with its files and the audit of operators. */
export type ErasureStore = ErasedStore &
  Pick<AuditLog, 'audit'> & { readonly storeId: string; readonly location: string };

export interface RunErasureDeps extends Omit<ErasePersonDeps, 'turn'> {
  readonly store: ErasureStore;
}

/**
 * Erases a person, searches the files of the database, and issues the receipt or says why there is none yet. Until
 * then nobody else can begin an erasure.
 *
 * @param given what names the person; what the store knows besides is added
 * @throws PortariaError `invalid-argument` when another erasure runs or the person is held: nothing was erased
 */
export function runErasure(
  deps: RunErasureDeps,
  given: readonly Identifier[],
  request: Pick<ErasedPerson, 'requestedBy' | 'reason'>,
): Promise<ErasedPerson & { readonly conclusion: Conclusion }> {
  const { store, contract, clock, report } = deps;
  return store.eraseAlone(async (turn) => {
    const signal = deps.signal === undefined ? turn.signal : AbortSignal.any([turn.signal, deps.signal]);
    const identifiers = await relatedIdentifiers(store, given, contract, report);
    const result = await erasePerson({ ...deps, signal, turn }, identifiers, request);
    const asOperator = await entriesOfOperator(store, personOf(identifiers));
    const erased = { ...request, result, identifiers, asOperator };
    const files = await searchDatabase(store, erased, signal);
    signal.throwIfAborted();
    return { ...erased, conclusion: await concludeErasure({ store, clock }, erased, files) };
  });
}

async function searchDatabase(
  store: ErasureStore,
  { result, identifiers }: ErasedPerson,
  signal: AbortSignal,
): Promise<readonly SearchedFile[]> {
  const key = result.resumed === null ? null : Buffer.from(await store.erasureKey()).toString('base64');
  const { values, isOver } = result.searched;
  const search = {
    files: databaseFiles(store.location),
    identifiers,
    // Without a receipt nobody learns where they stand.
    values: isOver ? [] : [...values],
    resumed: key === null ? null : { identifiers: result.identifiers, key },
  };
  return searchApart(search, signal);
}
