/** Copies a store into another database, and compares both: `store copy`. */
import type { Clock } from '../../kernel/time/clock.ts';
import type { NewAuditEntry } from '../audit.ts';
import { compareRows } from './compare-rows.ts';
import { copiedTable, copiedTables } from './copied-tables.ts';
import { copyRows } from './copy-rows.ts';
import type { CopySource, CopyTarget, CopyWatch } from './copy-side.ts';
import {
  isMissing,
  openCopied,
  openSource,
  openTarget,
  requireTwoDatabases,
  type CopyPlaces,
} from './open-sides.ts';
import { commonSums } from './table-sums.ts';

export interface CopyStoreOptions extends CopyPlaces {
  readonly clock: Clock;
  readonly watch: CopyWatch;
  /** The entry of the audit about the copy. It is the last one of both stores. */
  readonly entry: () => NewAuditEntry;
}

export interface CopiedStore {
  /** The two databases, without passwords. */
  readonly from: string;
  readonly to: string;
  readonly storeId: string;
  /** Whether an earlier run had begun the copy. */
  readonly isContinued: boolean;
  /** The rows of each table; of counts, the sums. */
  readonly rows: Readonly<Record<string, number>>;
  /** Deliveries that ran in the source when its process was killed. They are pending in the copy. */
  readonly interrupted: number;
  /** Why they are not pending yet; null when they are. The next serve makes them so. */
  readonly notRecovered: string | null;
}

/**
 * Copies a store into another, empty database, and compares both. An interrupted copy leaves the source as it was; the
 * same call goes on with it.
 *
 * @throws PortariaError `store-locked` while one of the two is served, `invalid-argument` when the target is not empty,
 *   `store-unsupported` when the source has changed since the copy began, `store-failed` when the two differ
 */
export async function copyStore(options: CopyStoreOptions): Promise<CopiedStore> {
  const { clock } = options;
  requireTwoDatabases(options);
  const source = await openSource(options, clock);
  try {
    const target = await openTarget(options, clock);
    let copied: CopiedRows;
    try {
      copied = await copyBetween(source, target, options);
    } finally {
      await target.close();
    }
    return { ...copied, ...(await recovered(source, options)) };
  } finally {
    await source.close();
  }
}

type CopiedRows = Omit<CopiedStore, 'interrupted' | 'notRecovered'>;

/** The copy is whole by now: an error is no reason to copy again. */
async function recovered(
  source: CopySource,
  options: CopyStoreOptions,
): Promise<Omit<CopiedStore, keyof CopiedRows>> {
  try {
    if (!(await hasRunning(source))) return { interrupted: 0, notRecovered: null };
    const store = await openCopied(options, options.clock);
    try {
      return { interrupted: await store.recover(), notRecovered: null };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { interrupted: 0, notRecovered: error instanceof Error ? error.message : String(error) };
  }
}

async function copyBetween(
  source: CopySource,
  target: CopyTarget,
  { watch, entry }: CopyStoreOptions,
): Promise<CopiedRows> {
  const counts = await countRows(source);
  watch.begin(2 * counts.values().reduce((sum, count) => sum + count, 0));
  const copied = await copyRows(source, target, { counts, watch });
  await compareRows(target, copied, { watch, withPostgres: source.isPostgres || target.isPostgres });
  const [store] = await source.page(copiedTable('store'), null);
  const audit = await source.appendAudit(entry());
  const [row = []] = await source.page(copiedTable('audit'), [audit - 1n]);
  await target.finish({ audit: row, lastNumbers: await source.lastNumbers() });
  await source.commit();
  return {
    from: source.location,
    to: target.location,
    storeId: String(store?.[1] ?? ''),
    isContinued: target.progress !== null,
    rows: Object.fromEntries([...copied].map(([name, { rows }]) => [name, rows])),
  };
}

export interface PlannedCopy extends Pick<CopiedStore, 'from' | 'to' | 'rows'> {
  /** Whether an earlier run has begun the copy. */
  readonly isBegun: boolean;
}

/**
 * Checks both databases as {@link copyStore} does, and counts the rows. Writes nothing.
 *
 * @throws PortariaError as {@link copyStore}
 */
export async function planCopy(places: CopyPlaces, clock: Clock): Promise<PlannedCopy> {
  requireTwoDatabases(places);
  const source = await openSource(places, clock);
  try {
    const counts = await countRows(source);
    const { location: from } = source;
    const target = isMissing(places.to) ? undefined : await openTarget(places, clock);
    await target?.close();
    const withPostgres = source.isPostgres || target?.isPostgres === true;
    const rows: Record<string, number> = {};
    for (const table of copiedTables)
      rows[table.name] =
        counts.get(table.name) ?? commonSums(table, await source.sums(table), { withPostgres }).length;
    return { from, to: target?.location ?? places.to, rows, isBegun: (target?.progress ?? null) !== null };
  } finally {
    await source.close();
  }
}

/** Whether a process was killed with deliveries, which nobody has taken over since. */
async function hasRunning(source: Pick<CopySource, 'sums'>): Promise<boolean> {
  const counts = await source.sums(copiedTable('delivery_counts'));
  return counts.some(([, status, deliveries]) => status === 'running' && deliveries !== 0n);
}

/** Counts the rows of all tables that are read in pages. */
async function countRows(source: Pick<CopySource, 'count'>): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const table of copiedTables)
    if (table.sums === undefined) counts.set(table.name, await source.count(table));
  return counts;
}
