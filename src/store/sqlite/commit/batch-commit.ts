/**
 * Commits a batch of operations in one transaction, and moves the write-ahead log into the database file.
 *
 * Every webhook passes here, without `await`. An operation may run twice, so it must change nothing but the database.
 */
import type { Database } from 'better-sqlite3';
import type { PortariaError } from '../../../kernel/errors.ts';
import { concernsOneOperation, isFatal, isFull, storeError, writeError } from '../file/store-error.ts';
import { statSync } from 'node:fs';
import { cannotGrow, freeBytes } from '../file/disk.ts';
import type { Reserve } from '../file/reserve.ts';
import { BUSY_TIMEOUT_MS, MAX_LOG_BYTES } from '../file/open-database.ts';

/** The maximum number of operations in a transaction, which keeps commits short for those that wait. */
export const MAX_OPERATIONS_PER_COMMIT = 512;

/** An operation of a transaction. It may run several times, so it only reads and writes the database. */
export type Operation = () => unknown;

/** The result of an operation; an error is a PortariaError. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** In-memory state that follows transactions, such as sums to be written at the commit. */
export interface TransactionPart {
  /** Called inside the transaction, right before its commit. */
  beforeCommit?(): void;
  /** Called after the commit. */
  committed(): void;
  /** Called after a rollback. */
  undone(): void;
}

/** Runs many operations in one transaction, synchronously. */
export interface BatchCommit {
  /**
   * Runs the operations and commits. When one throws, each operation is run again
   * in a transaction of its own, so that the others succeed. An error of the file
   * undoes its transaction, and is the outcome of all operations in it.
   *
   * @param mayUseReserve which of them may use the room that a full disk has for operators; none by default
   * @param accepts whether one of them accepts a webhook: after its commit, webhooks can be stored
   */
  run(batch: readonly Operation[], mayUseReserve?: readonly boolean[], accepts?: boolean): readonly Outcome[];
  /** Runs a checkpoint if one is due. Called after the outcomes of `run` are delivered. */
  checkpoint(): void;
  /** Whether webhooks can be stored: the last write succeeded, and there is room for the next. */
  healthy(): boolean;
  /** The error after which the file must not be written again. */
  fatal(): PortariaError | undefined;
}

export interface BatchCommitOptions {
  readonly location: string;
  /** Checks, before each transaction, that the file is the one that was opened; throws if not. */
  readonly check: () => void;
  /** Called once, when the file must not be written again. */
  readonly onFatal: (error: PortariaError) => void;
  /** Looked at in each transaction; none by default. */
  readonly reserve?: Reserve;
  readonly parts?: readonly TransactionPart[];
  /** Replaced by tests. */
  readonly checkpoint?: Checkpoint;
}

/** An operation failed by itself, and the transaction was undone with it. */
class OperationFailure extends Error {}

export function createBatchCommit(database: Database, options: BatchCommitOptions): BatchCommit {
  const { parts = [], checkpoint = createCheckpoint(database), reserve } = options;
  let healthy = true;
  let wasFull = false;
  let fatal: PortariaError | undefined;

  const totalChanges = database.prepare<[], number>('select total_changes()').pluck();
  const changes = (): number => totalChanges.get() ?? 0;
  const transaction = database.transaction((batch: readonly Operation[], usesReserve: boolean) => {
    // Inside the transaction, so that no other process makes the reserve again, or takes its room, in between.
    if (usesReserve) reserve?.giveUp();
    else reserve?.look();
    const outcomes = batch.map((operation): Outcome => {
      try {
        return { value: operation() };
      } catch (error) {
        if (!database.inTransaction || !concernsOneOperation(error)) throw error;
        throw new OperationFailure('', { cause: error });
      }
    });
    for (const part of parts) part.beforeCommit?.();
    return outcomes;
  });

  function runAll(batch: readonly Operation[], usesReserve = false): readonly Outcome[] {
    try {
      const outcomes = transaction.immediate(batch, usesReserve);
      for (const part of parts) part.committed();
      return outcomes;
    } catch (error) {
      for (const part of parts) part.undone();
      throw writeError(error, options.location);
    }
  }

  /** Retries on a full disk after a checkpoint has made room, or with the reserve. */
  function runWithRoom(batch: readonly Operation[], mayUseReserve: readonly boolean[]): readonly Outcome[] {
    // The log may have the room that the reserve needs to be made again.
    if (reserve?.isGivenUp() === true) checkpoint.makeRoom();
    try {
      return runAll(batch);
    } catch (error) {
      const isUsed = mayUseReserve.includes(true);
      if (!isFull(error) || !(checkpoint.makeRoom() || isUsed)) throw error;
      // Each by its own right: the others of the batch must not take the room.
      if (isUsed && mayUseReserve.includes(false)) throw new OperationFailure('', { cause: error });
      return runAll(batch, isUsed);
    }
  }

  function fail(thrown: unknown): PortariaError {
    const error = writeError(thrown, options.location);
    const failure = storeError(error, options.location);
    if (failure.code !== 'store-busy') {
      healthy = false;
      wasFull = failure.code === 'store-full';
    }
    if (isFatal(error) && fatal === undefined) {
      fatal = failure;
      options.onFatal(failure);
    }
    return failure;
  }

  /** On a full disk, small writes find room in the log; a webhook may not. */
  const hasRoom = (accepts: boolean): boolean => accepts || !wasFull || !cannotGrow(options.location);

  function run(
    batch: readonly Operation[],
    mayUseReserve: readonly boolean[] = [],
    accepts = false,
  ): readonly Outcome[] {
    if (fatal !== undefined) return batch.map(() => ({ error: fatal }));
    try {
      options.check();
      const before = healthy ? 0 : changes();
      const outcomes = runWithRoom(batch, mayUseReserve);
      // A claim that finds nothing commits on a full disk too, and proves nothing.
      if (!healthy && changes() > before) healthy = hasRoom(accepts);
      if (reserve?.isGivenUp() === true) healthy = false;
      return outcomes;
    } catch (error) {
      if (error instanceof OperationFailure) return afterFailure(batch, error, mayUseReserve);
      const failure = fail(error);
      return batch.map(() => ({ error: failure }));
    }
  }

  /** Runs each operation in a transaction of its own: one that fails must not undo the others. */
  function afterFailure(
    batch: readonly Operation[],
    { cause }: OperationFailure,
    mayUseReserve: readonly boolean[],
  ): readonly Outcome[] {
    if (batch.length === 1) return [{ error: storeError(cause, options.location) }];
    return batch.flatMap((operation, at) => run([operation], mayUseReserve.slice(at, at + 1)));
  }

  return {
    run,
    checkpoint() {
      if (fatal !== undefined) return;
      try {
        checkpoint.runIfDue();
      } catch (error) {
        fail(error);
      }
    },
    healthy: () => healthy,
    fatal: () => fatal,
  };
}

/**
 * The pages (4 KiB each) in the write-ahead log that trigger a checkpoint. No
 * commit runs during it: small checkpoints cost little more in total, and pause
 * commits for a quarter of the time.
 */
const PAGES_PER_CHECKPOINT = 256;

/** The trigger on a disk with little space: the file needs room for the log when the disk is full. */
const PAGES_WHEN_SPACE_IS_LOW = 64;

/** The free bytes below which space is low: as much as the log may need. */
const LOW_SPACE_BYTES = MAX_LOG_BYTES;

/** Copies the write-ahead log into the file. Throws SQLite's I/O errors. */
interface Checkpoint {
  /** Runs a checkpoint if the log is long enough. Called after each commit. */
  runIfDue(): void;
  /**
   * Makes room after a commit failed on a full disk: copies the log, provided
   * that the file can grow by it, and truncates it.
   *
   * @returns whether the log was truncated, so that a retry may succeed
   */
  makeRoom(): boolean;
}

interface CheckpointOptions {
  /** Returns the free bytes of the file's disk. */
  readonly free?: (file: string) => number;
}

export function createCheckpoint(
  database: Database,
  { free = freeBytesIfKnown }: CheckpointOptions = {},
): Checkpoint {
  if (database.memory) return noCheckpoint;
  const log = writeAheadLog(database);
  let low = false;

  function checkSpace(): void {
    low = free(database.name) < LOW_SPACE_BYTES;
  }

  checkSpace();
  return {
    runIfDue() {
      const { pages, copied } = log.state();
      if (pages - copied < (low ? PAGES_WHEN_SPACE_IS_LOW : PAGES_PER_CHECKPOINT)) return;
      log.copy();
      checkSpace();
      if (low) log.truncate();
    },
    makeRoom() {
      low = true;
      if (log.state().pages === 0 || log.growth() > free(database.name)) return false;
      log.copy();
      return log.truncate();
    },
  };
}

/** Assumes enough space where the file system does not report it. */
function freeBytesIfKnown(file: string): number {
  try {
    return freeBytes(file);
  } catch {
    return Infinity;
  }
}

const noCheckpoint: Checkpoint = {
  runIfDue: () => undefined,
  makeRoom: () => false,
};

/** Copies and truncates the log, as far as the readers of other processes allow. */
export function checkpointAll(database: Database): void {
  database.pragma('wal_checkpoint(truncate)');
}

/**
 * Copies and truncates the log, and waits a little for readers of other processes:
 * what was erased is in the log until then.
 *
 * @returns whether the log is empty
 */
export function emptiedLog(database: Database): boolean {
  if (database.memory) return true;
  return database.pragma('wal_checkpoint(truncate)', { simple: true }) === 0;
}

/** The pages (4 KiB each) of the write-ahead log, and how many of them are copied into the file. */
interface LogState {
  readonly pages: number;
  readonly copied: number;
}

interface WriteAheadLog {
  state(): LogState;
  /**
   * Copies pages into the file, up to the first that another connection still
   * reads or writes. After a complete copy the next commit restarts the log.
   *
   * @throws the I/O error of SQLite
   */
  copy(): void;
  /** Truncates a log that is copied completely. Returns false while another connection reads it. */
  truncate(): boolean;
  /** Returns the bytes that a complete copy adds to the file. */
  growth(): number;
}

type CheckpointRow = [busy: number, pages: number, copied: number];

/**
 * Gives access to the log of an open file. SQLite's automatic checkpoint is off
 * because it swallows errors: after an unseen failed fsync the next one could
 * falsely succeed.
 *
 * Statements are prepared once: preparing one after each commit costs as much as
 * storing an event, and it lives until a major GC.
 */
export function writeAheadLog(database: Database): WriteAheadLog {
  const inspect = database.prepare<[], CheckpointRow>('pragma wal_checkpoint(noop)');
  inspect.raw();
  const copy = database.prepare('pragma wal_checkpoint(passive)');

  function state(): LogState {
    const [, pages, copied] = inspect.get() ?? [0, 0, 0];
    return { pages, copied };
  }

  return {
    state,
    copy: () => void copy.get(),
    truncate() {
      const { pages, copied } = state();
      if (copied < pages) return false;
      // Does not wait for readers, because commits wait for this.
      database.pragma('busy_timeout = 0');
      try {
        return database.pragma('wal_checkpoint(truncate)', { simple: true }) === 0;
      } finally {
        database.pragma(`busy_timeout = ${String(BUSY_TIMEOUT_MS)}`);
      }
    },
    growth() {
      const pages = Number(database.pragma('page_count', { simple: true }));
      const pageSize = Number(database.pragma('page_size', { simple: true }));
      return pages * pageSize - statSync(database.name).size;
    },
  };
}
