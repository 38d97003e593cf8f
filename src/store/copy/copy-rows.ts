/** Copies the rows of all tables, in pages, and continues a copy that was interrupted. */
import { PortariaError } from '../../kernel/errors.ts';
import { copiedTables, type CopiedTable } from './copied-tables.ts';
import {
  afterPage,
  keyOf,
  type CopySource,
  type CopyTarget,
  type CopyWatch,
  type TableProgress,
} from './copy-side.ts';
import { createRowDigest, NO_ROWS } from './row-digest.ts';
import { commonSums } from './table-sums.ts';

export interface CopyRowsOptions {
  /** The rows of each table in the source. */
  readonly counts: ReadonlyMap<string, number>;
  readonly watch: CopyWatch;
}

/** Copies all tables, or what an earlier run has left, and returns what the source has of each. */
export async function copyRows(
  source: CopySource,
  target: CopyTarget,
  options: CopyRowsOptions,
): Promise<ReadonlyMap<string, TableProgress>> {
  const known = target.progress;
  if (known === null) await target.begin(options.counts);
  else requireSameCounts(known, source, target, options);
  const copied = new Map<string, TableProgress>();
  for (const table of copiedTables) {
    const before = known?.get(table.name);
    if (before !== undefined) await requireSameRows(table, before, source, target, options.watch);
    const copy = table.sums === undefined ? copyTable : copySums;
    copied.set(
      table.name,
      await copy(table, before ?? nothing(table, options), source, target, options.watch),
    );
  }
  return copied;
}

function nothing({ name }: CopiedTable, { counts }: CopyRowsOptions): TableProgress {
  return { after: null, rows: 0, digest: NO_ROWS, sourceRows: counts.get(name) ?? 0 };
}

async function copyTable(
  table: CopiedTable,
  before: TableProgress,
  source: CopySource,
  target: CopyTarget,
  watch: CopyWatch,
): Promise<TableProgress> {
  const digest = createRowDigest(before);
  const { sourceRows } = before;
  let progress = before;
  for (;;) {
    const rows = await source.page(table, progress.after);
    const last = rows.at(-1);
    if (last === undefined) return progress;
    for (const row of rows) digest.add(row);
    progress = { after: keyOf(table, last), rows: digest.rows, digest: digest.text(), sourceRows };
    await target.write(table, rows, progress);
    await afterPage(watch, rows.length, `copying ${table.name}`);
  }
}

async function copySums(
  table: CopiedTable,
  before: TableProgress,
  source: CopySource,
  target: CopyTarget,
): Promise<TableProgress> {
  const withPostgres = source.isPostgres || target.isPostgres;
  const rows = commonSums(table, await source.sums(table), { withPostgres });
  const digest = createRowDigest();
  for (const row of rows) digest.add(row);
  const progress = { ...before, rows: digest.rows, digest: digest.text() };
  await target.replace(table, rows, progress);
  return progress;
}

function requireSameCounts(
  known: ReadonlyMap<string, TableProgress>,
  source: CopySource,
  target: CopyTarget,
  { counts }: CopyRowsOptions,
): void {
  for (const [name, count] of counts)
    if (known.get(name)?.sourceRows !== count) throw changed(name, source, target);
}

/** Reads again what an earlier run has copied. Counts are copied anew. */
async function requireSameRows(
  table: CopiedTable,
  { rows: expected, digest: known }: TableProgress,
  source: CopySource,
  target: CopyTarget,
  watch: CopyWatch,
): Promise<void> {
  if (table.sums !== undefined) return;
  const digest = createRowDigest();
  let after: TableProgress['after'] = null;
  while (digest.rows < expected) {
    const rows = await source.page(table, after);
    const last = rows.at(-1);
    if (last === undefined) throw changed(table.name, source, target);
    const copied = rows.slice(0, expected - digest.rows);
    for (const row of copied) digest.add(row);
    after = keyOf(table, last);
    await afterPage(watch, copied.length, `checking ${table.name}`);
  }
  if (digest.text() !== known) throw changed(table.name, source, target);
}

function changed(table: string, source: CopySource, target: CopyTarget): PortariaError {
  return new PortariaError(
    'store-unsupported',
    `${source.location} has changed since the copy into ${target.location} began (its table ${table}), or is another ` +
      `store: ${target.isPostgres ? 'drop and create that database' : 'remove that file'}, and copy again from the start`,
  );
}
