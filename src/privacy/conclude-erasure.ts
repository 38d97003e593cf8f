/** The end of an erasure: its receipt, or why there is none yet. */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { subjectName } from '../event/subject.ts';
import { eachPage } from '../kernel/row-pages.ts';
import { countOf } from '../kernel/text/count.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { AuditLog } from '../store/audit.ts';
import type { Privacy } from '../store/privacy.ts';
import type { ErasureResult } from './erase-person.ts';
import type { Identifier } from './identifier.ts';
import { personOf, type Person } from './person.ts';
import { findErasure, sumRows } from './ledger.ts';
import { signReceipt, type Receipt } from './receipt.ts';
import { allContents } from './scan-store.ts';
import { MAX_SEARCHED_VALUES, type SearchedFile } from './files/search-files.ts';

type ConcludingStore = Pick<Privacy, 'erasureKey' | 'contents' | 'erasures' | 'finishErasure'> & {
  readonly storeId: string;
};

/** An erasure whose rows are done. */
export interface ErasedPerson {
  readonly result: ErasureResult;
  /** Those that are known; the ledger may have hashes of others. */
  readonly identifiers: readonly Identifier[];
  /** Entries of the audit that name the person as an operator, and stay. */
  readonly asOperator: number;
  readonly requestedBy: string;
  readonly reason: string;
}

/** Why there is no receipt yet. */
export interface Unfinished {
  readonly reasons: readonly string[];
  /** Whether the same erasure, started again, may finish it. */
  readonly again: boolean;
  /** Whether files hold a form that rows did not show. */
  readonly inFiles: boolean;
}

export type Conclusion =
  | { readonly receipt: Receipt; readonly unfinished?: never }
  | { readonly receipt?: never; readonly unfinished: Unfinished };

/** The files of a database, for the search of their bytes. A database on a server has none here. */
export function databaseFiles(location: string): readonly { readonly path: string; readonly name: string }[] {
  return ['', '-wal', '-shm']
    .map((suffix) => ({ path: `${location}${suffix}`, name: `${basename(location)}${suffix}` }))
    .filter(({ path }) => existsSync(path));
}

/** Counts the entries of the audit that name the person as the operator who acted. */
export async function entriesOfOperator(store: Pick<AuditLog, 'audit'>, person: Person): Promise<number> {
  let count = 0;
  for await (const page of eachPage((rows) => store.audit({}, { order: 'oldest', ...rows }), {
    limit: 1_000,
  }))
    count += page.filter(({ actor }) => actor !== null && person.findIn(actor).length > 0).length;
  return count;
}

/** Issues the receipt of an erasure and ends it in the ledger, or says why that is not possible yet. */
export async function concludeErasure(
  { store, clock }: { readonly store: ConcludingStore; readonly clock: Pick<Clock, 'now'> },
  erased: ErasedPerson,
  files: readonly SearchedFile[],
): Promise<Conclusion> {
  const { result, identifiers, asOperator } = erased;
  const hits = files.reduce((sum, file) => sum + file.hits, 0);
  // The audit keeps the names of operators, one in each entry.
  const isDone =
    result.complete &&
    result.logEmptied &&
    !result.searched.isOver &&
    (hits <= asOperator || result.held > 0);
  if (result.holds.length > 0) return { unfinished: heldBecause(result) };
  if (isDone) return { receipt: await issueReceipt(store, clock, erased, files) };
  const named = hits === 0 ? 0 : await eventsOfNamingKinds(store, personOf(identifiers));
  return { unfinished: unfinishedBecause(result, files, named) };
}

/** Counts the events whose kind names the person: a kind is the event's identity, and stays. */
async function eventsOfNamingKinds(store: Pick<Privacy, 'contents'>, person: Person): Promise<number> {
  let count = 0;
  for await (const page of allContents(store, ['event']))
    count += page.filter(({ kind }) => kind !== null && person.findIn(kind).length > 0).length;
  return count;
}

async function issueReceipt(
  store: ConcludingStore,
  clock: Pick<Clock, 'now'>,
  { result, requestedBy, reason }: ErasedPerson,
  files: readonly SearchedFile[],
): Promise<Receipt> {
  const erasure = result.id;
  const { runs } = await findErasure(store, erasure);
  const content = {
    erasure,
    store_id: store.storeId,
    finished_at: new Date(clock.now()).toISOString(),
    requested_by: requestedBy,
    reason,
    identifiers: result.identifiers,
    erased_rows: sumRows(runs.map(({ rows }) => rows)),
    runs: runs.map(({ startedAt, rows }) => ({
      started_at: new Date(startedAt).toISOString(),
      erased_rows: rows,
    })),
    held_rows: result.held,
    rows_left: 0,
    log_emptied: result.logEmptied,
    files,
    bytes_searched: files.reduce((sum, { bytes }) => sum + bytes, 0),
    values_searched: files.length === 0 ? 0 : result.searched.values.size,
    hits: files.reduce((sum, file) => sum + file.hits, 0),
  } as const;
  const receipt = signReceipt(content, await store.erasureKey());
  await store.finishErasure(erasure, JSON.stringify(receipt));
  return receipt;
}

/** The rows that are left name the person, in the files as well: only the hold is worth telling. */
function heldBecause({ holds }: ErasureResult): Unfinished {
  const names = holds.map(({ subject }) => subjectName(subject)).join(', ');
  const reason = `a legal hold of ${names} was placed meanwhile: what was not erased yet stays until the hold ends`;
  return { reasons: [reason], again: false, inFiles: false };
}

function unfinishedBecause(
  result: ErasureResult,
  files: readonly SearchedFile[],
  namedByKind: number,
): Unfinished {
  const hits = files
    .filter((file) => file.hits > 0)
    .map((file) => `${file.name}: ${countOf(file.hits, 'occurrence')}`);
  const reasons = [
    ...(result.running > 0
      ? [
          `${countOf(result.running, 'delivery')} of erased events still run, and may store what they have read`,
        ]
      : []),
    ...(result.complete || result.running > 0 ? [] : ['rows changed while they were erased']),
    ...(result.logEmptied ? [] : ['another process reads the write-ahead log, which still holds the data']),
    ...(hits.length > 0 ? [`the files still name the person (${hits.join(', ')})`] : []),
    ...(result.searched.isOver
      ? [
          `more than ${String(MAX_SEARCHED_VALUES)} different values were erased, the most that the files are searched for: another run searches them for the identifiers alone`,
        ]
      : []),
    ...(namedByKind > 0
      ? [`the kind of ${countOf(namedByKind, 'event')} names the person, and stays: no receipt is possible`]
      : []),
  ];
  const isOver = result.complete && result.logEmptied && namedByKind > 0;
  return { reasons, again: !isOver, inFiles: hits.length > 0 };
}
