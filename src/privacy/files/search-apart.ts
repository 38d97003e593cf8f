/** The search of the files of a database, in a process of its own. */
import { PortariaError } from '../../kernel/errors.ts';
import { runApart } from '../../kernel/run-apart.ts';
import type { HashedIdentifier } from '../../store/privacy.ts';
import type { Identifier } from '../identifier.ts';
import type { SearchedFile } from './search-files.ts';

/** What the searching process is told. */
export interface ApartSearch {
  readonly files: readonly { readonly path: string; readonly name: string }[];
  readonly identifiers: readonly Identifier[];
  readonly values: readonly string[];
  /** Whom the ledger knows, when an interrupted erasure is continued. */
  readonly resumed: { readonly identifiers: readonly HashedIdentifier[]; readonly key: string } | null;
}

/**
 * Searches the bytes of files in a process of its own: a process that has the database open would drop its locks,
 * and webhooks would wait.
 *
 * @param signal ends the searching process, with its reason as the error
 * @throws PortariaError `store-failed` when the search ended early
 */
export async function searchApart(
  search: ApartSearch,
  signal?: AbortSignal,
): Promise<readonly SearchedFile[]> {
  if (search.files.length === 0) return [];
  const { stdout, code } = await runApart('src/privacy/files/search-process', search, signal).catch(
    (error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    },
  );
  if (code === 0) return JSON.parse(stdout) as readonly SearchedFile[];
  throw new PortariaError('store-failed', 'The files of the database could not be searched');
}
