/** Checks the rows of a finished copy against the source. */
import { PortariaError } from '../../kernel/errors.ts';
import { copiedTables, type CopiedTable } from './copied-tables.ts';
import {
  afterPage,
  keyOf,
  type CopyTarget,
  type CopyWatch,
  type Key,
  type TableProgress,
} from './copy-side.ts';
import { createRowDigest, type RowDigest } from './row-digest.ts';
import { commonSums } from './table-sums.ts';

/**
 * Reads the whole copy again, and compares the number and the digest of the rows of each table with the source's.
 *
 * @param copied what the source has of each table
 * @throws PortariaError `store-failed` with the first table that differs
 */
export async function compareRows(
  target: CopyTarget,
  copied: ReadonlyMap<string, TableProgress>,
  { watch, withPostgres }: { readonly watch: CopyWatch; readonly withPostgres: boolean },
): Promise<void> {
  for (const table of copiedTables) {
    const digest = createRowDigest();
    if (table.sums === undefined) await addPages(table, digest, target, watch);
    else for (const row of commonSums(table, await target.sums(table), { withPostgres })) digest.add(row);
    const expected = copied.get(table.name);
    if (digest.rows === expected?.rows && digest.text() === expected.digest) continue;
    const [there, here] = [String(expected?.rows ?? 0), String(digest.rows)];
    const found = there === here ? `another content in ${here} rows` : `${here} rows instead of ${there}`;
    throw new PortariaError(
      'store-failed',
      `the table ${table.name} of the copy in ${target.location} has ${found}: do not use the copy, and report this`,
    );
  }
}

async function addPages(
  table: CopiedTable,
  digest: RowDigest,
  target: CopyTarget,
  watch: CopyWatch,
): Promise<void> {
  for (let after: Key | null = null; ;) {
    const rows = await target.page(table, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const row of rows) digest.add(row);
    after = keyOf(table, last);
    await afterPage(watch, rows.length, `comparing ${table.name}`);
  }
}
