/** The ledger of erasures: one erasure, what its runs erased, and which one runs. */
import { PortariaError } from '../kernel/errors.ts';
import {
  contentPlaces,
  type ContentPlace,
  type ErasingProcess,
  type ErasureRecord,
  type Privacy,
} from '../store/privacy.ts';
import { noRows, type RowCounts } from './plan-erasure.ts';

/** The id of an erasure. */
export const ERASURE_ID = /^x[1-9]\d{0,15}$/u;

/** @throws PortariaError `not-found` */
export async function findErasure(store: Pick<Privacy, 'erasures'>, id: string): Promise<ErasureRecord> {
  const erasure = (await store.erasures()).find((one) => one.id === id);
  if (erasure === undefined) throw new PortariaError('not-found', `There is no erasure ${id}`);
  return erasure;
}

/** Rows by place; a place without any may be left out. */
export type SomeRows = Readonly<Partial<Record<ContentPlace, number | undefined>>>;

/** Adds up rows, such as those that the runs of an erasure erased, by place. */
export function sumRows(counts: readonly SomeRows[]): RowCounts {
  const sum = noRows();
  for (const rows of counts) for (const place of contentPlaces) sum[place] += rows[place] ?? 0;
  return sum;
}

/** Adds up the rows of all places. */
export function totalOfRows(rows: RowCounts): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}

/**
 * Whether an erasure is the one that runs.
 *
 * @param holder the process that erases now, as the store names it
 */
export function isRunBy({ finishedAt, runs }: ErasureRecord, holder: ErasingProcess | null): boolean {
  const last = runs.at(-1);
  if (finishedAt !== null || holder === null || last?.process !== holder.process) return false;
  // A user of PostgreSQL who may not see the sessions of others does not learn since when.
  return holder.since === null || last.startedAt === holder.since;
}
