/** Copies the file of a store while it is served: `backup`. */
import { existsSync, lstatSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PortariaError } from '../../../kernel/errors.ts';
import { createPrivateFile } from '../../../kernel/files/private-files.ts';
import { freeBytes } from '../file/disk.ts';
import { requireKnownSchema } from '../file/migrate.ts';
import { openForReading } from '../file/open-database.ts';
import { storeError } from '../file/store-error.ts';
import { contentOf, openCopy, syncToDisk, type CopyContent } from './inspect-copy.ts';
import { createPartFile, type PartFile } from './part-file.ts';

/** Pages (4 KiB each) that are copied between two turns of the event loop. */
const PAGES_PER_STEP = 2_000;

export interface BackUpOptions {
  /** The database. */
  readonly from: string;
  /** The file to write. */
  readonly to: string;
  /** `to` as the user wrote it, for messages. */
  readonly shownAs: string;
  /** Whether an existing file may be replaced. */
  readonly force: boolean;
  /** Aborts the backup, which leaves no file. */
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

export interface Backup extends CopyContent {
  readonly bytes: number;
}

/**
 * Copies a database to a file while other processes write it: the copy is of one
 * moment. It is checked page by page and row count by row count before it gets its
 * name, and only its owner can open it.
 *
 * The write-ahead log of the database grows until the copy is done.
 *
 * @throws PortariaError `invalid-argument` when the file exists and `force` is not
 *   set, or cannot be written; `store-full`, and the errors of opening a database
 */
export async function backUp(options: BackUpOptions): Promise<Backup> {
  const { from, to, shownAs, force } = options;
  requireFreeName(to, shownAs, force);
  const source = openForReading(from);
  let copy: PartFile | undefined;
  try {
    requireKnownSchema(source);
    // One transaction for all steps: a commit of another process does not start the copy again.
    source.exec('begin');
    const expected = contentOf(source);
    const bytes =
      Number(source.pragma('page_count', { simple: true })) *
      Number(source.pragma('page_size', { simple: true }));
    requireRoom(dirname(to), bytes, shownAs);
    copy = createPartFile(to);
    const part = copy.path;
    createPrivateFile(part);
    await source.backup(part, {
      progress({ totalPages, remainingPages }) {
        options.signal.throwIfAborted();
        options.onProgress(totalPages - remainingPages, totalPages);
        return PAGES_PER_STEP;
      },
    });
    checkCopy(part, expected, shownAs);
    options.signal.throwIfAborted();
    syncToDisk(part);
    renameSync(part, to);
    syncToDisk(to);
    return { ...expected, bytes: statSync(to).size };
  } catch (error) {
    if (options.signal.aborted) throw error;
    throw storeError(error, shownAs);
  } finally {
    source.close();
    copy?.discard();
  }
}

function requireFreeName(to: string, shownAs: string, force: boolean): void {
  const old = lstatSync(to, { throwIfNoEntry: false });
  if (old?.isDirectory() === true)
    throw new PortariaError('invalid-argument', `${shownAs} is a folder; name a file in it`);
  if (old !== undefined && !old.isFile())
    throw new PortariaError('invalid-argument', `${shownAs} is not a file; name another`);
  if (old !== undefined && !force)
    throw new PortariaError('invalid-argument', `${shownAs} exists; --force replaces it`);
  if (!existsSync(dirname(to)))
    throw new PortariaError('invalid-argument', `${shownAs} cannot be written: there is no folder for it`);
}

/** @throws PortariaError `store-full` */
export function requireRoom(folder: string, bytes: number, what: string): void {
  const free = freeBytes(folder);
  if (free >= bytes) return;
  const mebibytes = (count: number) => `${String(Math.ceil(count / 1024 / 1024))} MiB`;
  throw new PortariaError(
    'store-full',
    `${what} needs ${mebibytes(bytes)} in ${folder}, which has ${mebibytes(free)} free: make room`,
  );
}

function checkCopy(part: string, expected: CopyContent, shownAs: string): void {
  const copy = openCopy(part, shownAs);
  try {
    // One file without a log beside it, which can be moved and opened read-only.
    copy.pragma('journal_mode = delete');
    if (isDeepStrictEqual(contentOf(copy), expected)) return;
    throw new PortariaError('store-corrupt', `${shownAs} differs from the database: run the backup again`);
  } finally {
    copy.close();
  }
}
