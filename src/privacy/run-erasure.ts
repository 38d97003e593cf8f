/** Erasures from their beginning to their receipt, as the command line and a serving process run them. */
import type { AuditLog } from '../store/audit.ts';
import type { ErasureLock } from '../store/privacy.ts';
import { searchApart } from './files/search-apart.ts';
import {
  concludeErasure,
  databaseFiles,
  entriesOfOperator,
  type Conclusion,
  type ErasedPerson,
} from './conclude-erasure.ts';
import {
  erasePerson,
  resumeErasure,
  type ErasedStore,
  type ErasePersonDeps,
  type ErasureResult,
} from './erase-person.ts';
import type { Identifier } from './identifier.ts';
import { erasableLedger } from './erasable.ts';
import { personOf } from './person.ts';
import { relatedIdentifiers } from './related-identifiers.ts';
import type { SearchedFile } from './files/search-files.ts';

/** A store in which a person is erased, with its files and the audit of operators. */
export type ErasureStore = ErasedStore &
  Pick<AuditLog, 'audit'> & { readonly storeId: string; readonly location: string };

/** An erasure with its receipt, or why there is none yet. */
export interface ConcludedErasure extends ErasedPerson {
  readonly conclusion: Conclusion;
}

export interface RunErasureDeps extends Omit<ErasePersonDeps, 'lock'> {
  readonly store: ErasureStore;
}

/**
 * Erases a person, searches the files of the database, and issues the receipt or says why there is none yet. Until
 * then nobody else can begin an erasure.
 *
 * @param given what names the person; what the store knows besides is added
 * @throws PortariaError `erasure-refused` when another erasure runs or the person is held: nothing was erased
 */
export function runErasure(
  deps: RunErasureDeps,
  given: readonly Identifier[],
  request: Pick<ErasedPerson, 'requestedBy' | 'reason'>,
): Promise<ConcludedErasure> {
  const { store, contract, clock, report } = deps;
  return store.eraseAlone(async (lock) => {
    const signal = deps.signal === undefined ? lock.signal : AbortSignal.any([lock.signal, deps.signal]);
    const identifiers = await relatedIdentifiers(store, given, contract, report);
    const result = await erasePerson({ ...deps, signal, lock }, identifiers, request);
    const asOperator = await entriesOfOperator(store, personOf(identifiers));
    const erased = { ...request, result, identifiers, asOperator };
    const files = await searchDatabase(store, erased, signal);
    signal.throwIfAborted();
    return { ...erased, conclusion: await concludeErasure({ store, clock }, erased, files) };
  });
}

/**
 * Goes on with the erasures that were interrupted in this store, by the hashes of the ledger: all but those of held
 * people. They stay unfinished: hashes recognize less than identifiers do, and a receipt must not.
 *
 * @returns the result of each
 */
export async function resumeInterrupted(
  deps: Omit<RunErasureDeps, 'begun'>,
  lock: ErasureLock,
): Promise<readonly ErasureResult[]> {
  const { store } = deps;
  const results: ErasureResult[] = [];
  for (const { id, finishedAt, runs } of await store.erasures()) {
    if (finishedAt !== null || runs.length === 0) continue;
    const erasure = (await erasableLedger(store)).erasable.find((one) => one.id === id);
    if (erasure === undefined) continue;
    results.push(await resumeErasure({ ...deps, signal: lock.signal, lock }, erasure));
  }
  return results;
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
