/** Commits a batch of operations in one transaction. */
import type { Database } from 'better-sqlite3';
import type { PortariaError } from '../../../kernel/errors.ts';
import { concernsOneOperation, isFatal, isFull, storeError } from '../file/store-error.ts';
import { createCheckpoint, type Checkpoint } from './checkpoint.ts';

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
  /** Replaced by tests. */
  readonly checkpoint?: Checkpoint;
}

/** An operation failed by itself, and the transaction was undone with it. */
class OperationFailure extends Error {}

export function createBatchCommit(database: Database, options: BatchCommitOptions): BatchCommit {
  const { parts = [], checkpoint = createCheckpoint(database) } = options;
  let healthy = true;
  let fatal: PortariaError | undefined;

  const totalChanges = database.prepare<[], number>('select total_changes()').pluck();
  const changes = (): number => totalChanges.get() ?? 0;
  const transaction = database.transaction((batch: readonly Operation[]) => {
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

  function runAll(batch: readonly Operation[]): readonly Outcome[] {
    try {
      const outcomes = transaction.immediate(batch);
      for (const part of parts) part.committed();
      return outcomes;
    } catch (error) {
      for (const part of parts) part.undone();
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

  function run(batch: readonly Operation[]): readonly Outcome[] {
    if (fatal !== undefined) return batch.map(() => ({ error: fatal }));
    try {
      options.check();
      const before = healthy ? 0 : changes();
      const outcomes = runWithRoom(batch);
      // A claim that finds nothing commits on a full disk too, and proves nothing.
      if (!healthy && changes() > before) healthy = true;
      return outcomes;
    } catch (error) {
      if (error instanceof OperationFailure) return afterFailure(batch, error);
      const failure = fail(error);
      return batch.map(() => ({ error: failure }));
    }
  }

  /** Runs each operation in a transaction of its own: one that fails must not undo the others. */
  function afterFailure(batch: readonly Operation[], { cause }: OperationFailure): readonly Outcome[] {
    if (batch.length === 1) return [{ error: storeError(cause, options.location) }];
    return batch.flatMap((operation) => run([operation]));
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
