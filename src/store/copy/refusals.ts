import { PortariaError } from '../../kernel/errors.ts';
import { copiedTables } from './copied-tables.ts';
import type { CopyReads } from './copy-side.ts';

/** @throws PortariaError `invalid-argument` when a store has more than a new one */
export async function requireNoRows(reads: Pick<CopyReads, 'page'>, location: string): Promise<void> {
  for (const table of copiedTables) {
    if (table.isSeeded === true) continue;
    if ((await reads.page(table, null)).length === 0) continue;
    throw new PortariaError(
      'invalid-argument',
      `${location} is not empty (its table ${table.name} has rows): copy into a new database`,
    );
  }
}

/** The error for a copy that another version has begun. */
export function anotherVersion(location: string): PortariaError {
  return new PortariaError(
    'store-unsupported',
    `the copy in ${location} was begun by another version of Portaria: finish it with that version, or copy into a new database`,
  );
}
