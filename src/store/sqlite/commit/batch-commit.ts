import type { Database } from 'better-sqlite3';
import type { PortariaError } from '../../../kernel/errors.ts';
import { concernsOneOperation, isFatal, isFull, storeError } from '../file/store-error.ts';
import { createCheckpoint, type Checkpoint } from './checkpoint.ts';

/** The maximum number of operations in a transaction, which keeps commits short for those that wait. */
export const MAX_OPERATIONS_PER_COMMIT = 512;

/** An operation of a transaction. It may run twice, so it only reads and writes the database. */
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
  /** Returns a function that restores the present state, to undo one operation. */
  mark(): () => void;
}

/** Runs many operations in one transaction, synchronously. */
export interface BatchCommit {
  /**
   * Runs the operations and commits. An error that an operation throws undoes
   * its own writes alone; an error of the file undoes all, and is the outcome of
   * each operation.
   */
  run(batch: readonly Operation[]): readonly Outcome[];
  /** Runs a checkpoint if one is due. Called after the outcomes of `run` are delivered. */
  checkpoint(): void;
  /** Whether the last write succeeded. */
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
  readonly parts?: readonly TransactionPart[];
  /** Runs in this thread by default. */
  readonly checkpoint?: Checkpoint;
}

/** An operation failed without a savepoint of its own, so the transaction was undone. */
class UnguardedFailure extends Error {}

const unguarded = (operation: Operation): unknown => operation();

export function createBatchCommit(database: Database, options: BatchCommitOptions): BatchCommit {
  const { parts = [], checkpoint = createCheckpoint(database) } = options;
  let healthy = true;
  let fatal: PortariaError | undefined;

  const totalChanges = database.prepare<[], number>('select total_changes()').pluck();
  const changes = (): number => totalChanges.get() ?? 0;
  const inSavepoint = database.transaction((operation: Operation) => operation());
  const runGuarded = (operation: Operation): unknown => {
    const marks = parts.map((part) => part.mark());
    try {
      return inSavepoint(operation);
    } catch (error) {
      for (const goBack of marks) goBack();
      throw error;
    }
  };
  const runBatch = database.transaction(
    (batch: readonly Operation[], run: (operation: Operation) => unknown) => {
      const outcomes = batch.map((operation): Outcome => {
        try {
          return { value: run(operation) };
        } catch (error) {
          if (!database.inTransaction || !concernsOneOperation(error)) throw error;
          if (run === unguarded) throw new UnguardedFailure();
          return { error: storeError(error, options.location) };
        }
      });
      for (const part of parts) part.beforeCommit?.();
      return outcomes;
    },
  );

  function runOnce(batch: readonly Operation[], run: (operation: Operation) => unknown): readonly Outcome[] {
    try {
      const outcomes = runBatch.immediate(batch, run);
      for (const part of parts) part.committed();
      return outcomes;
    } catch (error) {
      for (const part of parts) part.undone();
      throw error;
    }
  }

  /**
   * A savepoint around each operation costs a fifth of an accepted event, and
   * operations rarely fail: they get one when the batch is run again.
   */
  function runAll(batch: readonly Operation[]): readonly Outcome[] {
    try {
      return runOnce(batch, unguarded);
    } catch (error) {
      if (error instanceof UnguardedFailure) return runOnce(batch, runGuarded);
      throw error;
    }
  }

  /** Retries on a full disk after a checkpoint has made room. */
  function runWithRoom(batch: readonly Operation[]): readonly Outcome[] {
    try {
      return runAll(batch);
    } catch (error) {
      if (!isFull(error) || !checkpoint.makeRoom()) throw error;
      return runAll(batch);
    }
  }

  function fail(error: unknown): PortariaError {
    const failure = storeError(error, options.location);
    if (failure.code !== 'store-busy') healthy = false;
    if (isFatal(error) && fatal === undefined) {
      fatal = failure;
      options.onFatal(failure);
    }
    return failure;
  }

  return {
    run(batch) {
      if (fatal !== undefined) return batch.map(() => ({ error: fatal }));
      try {
        options.check();
        const before = healthy ? 0 : changes();
        const outcomes = runWithRoom(batch);
        // A claim that finds nothing commits on a full disk too, and proves nothing.
        if (!healthy && changes() > before) healthy = true;
        return outcomes;
      } catch (error) {
        const failure = fail(error);
        return batch.map(() => ({ error: failure }));
      }
    },
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
