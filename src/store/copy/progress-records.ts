/** How far a copy is, as the target records it with each page. */
import { PortariaError } from '../../kernel/errors.ts';
import { copiedTable, copiedTables, type CopiedTable } from './copied-tables.ts';
import { NO_ROWS } from './row-digest.ts';
import type { CopyReads, Key, TableProgress, Value } from './copy-side.ts';

/**
 * The table that an unfinished copy has. Its rows say how far each table is, so that another run can go on; while it is
 * there, no command opens the store.
 */
export const progressTable = `
create table copy_progress (
  name text primary key,
  after text,
  rows bigint not null,
  digest text not null,
  source_rows bigint not null
)`;

export const PROGRESS_COLUMNS = ['name', 'after', 'rows', 'digest', 'source_rows'] as const;

/** The values of a row of `copy_progress`. */
export function progressRow(
  table: CopiedTable,
  { after, rows, digest, sourceRows }: TableProgress,
): readonly (string | number | null)[] {
  return [table.name, after === null ? null : JSON.stringify(after.map(String)), rows, digest, sourceRows];
}

/** The rows of `copy_progress` when a copy begins. */
export function firstProgress(
  sourceRows: ReadonlyMap<string, number>,
): readonly (readonly (string | number | null)[])[] {
  return [...sourceRows].map(([name, count]) =>
    progressRow(copiedTable(name), { after: null, rows: 0, digest: NO_ROWS, sourceRows: count }),
  );
}

export function progressOf(rows: readonly (readonly Value[])[]): ReadonlyMap<string, TableProgress> {
  return new Map(
    rows.map(([name, after, count, digest, sourceRows]) => [
      String(name),
      {
        after: keyFromText(copiedTable(String(name)), typeof after === 'string' ? after : null),
        rows: Number(count),
        digest: String(digest),
        sourceRows: Number(sourceRows),
      },
    ]),
  );
}

function keyFromText(table: CopiedTable, text: string | null): Key | null {
  if (text === null) return null;
  const values = JSON.parse(text) as readonly string[];
  return table.key.map((column, index) => {
    const value = values[index] ?? '';
    return table.columns[column] === 'integer' ? BigInt(value) : value;
  });
}

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
