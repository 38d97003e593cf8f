import type { Database } from 'better-sqlite3';
import type { PortariaError } from '../../../kernel/errors.ts';
import { createCheckpoint, type Checkpoint } from './checkpoint.ts';
import { concernsOneItem, isFatal, isFull, storeError } from '../file/store-error.ts';
import type { TransactionPart } from './transaction-part.ts';

/**
 * Some work in a transaction. It may be run twice, so it does nothing but read
 * and write the database.
 */
export type Work = () => unknown;

/** What became of one work; an error is a PortariaError. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** Runs many works in one transaction, at once. */
export interface BatchCommit {
  /**
   * What a work throws of its own undoes its own writes alone; an error of the
   * file undoes the whole transaction, and is the outcome of all.
   */
  run(batch: readonly Work[]): readonly Outcome[];
  /** Moves the log into the file when there is enough of it: to be called when nobody waits for `run`. */
  checkpoint(): void;
  /** Whether the last write went well. */
  healthy(): boolean;
  /** Why the file must not be written again, once that is so. */
  fatal(): PortariaError | undefined;
}

export interface BatchCommitOptions {
  readonly location: string;
  /** Looks, before each transaction, whether the file is still the one that was opened; throws if not. */
  readonly check: () => void;
  /** Told once, when the file must not be written again. */
  readonly onFatal: (error: PortariaError) => void;
  /** What follows the fate of each transaction. */
  readonly parts?: readonly TransactionPart[];
  /** What moves the log into the file; unless given, this thread. */
  readonly checkpoint?: Checkpoint;
}

/** A work failed without a savepoint of its own: the transaction is undone as a whole. */
class UnguardedFailure extends Error {}

const unguarded = (work: Work): unknown => work();

export function createBatchCommit(database: Database, options: BatchCommitOptions): BatchCommit {
  const { parts = [], checkpoint = createCheckpoint(database) } = options;
  let healthy = true;
  let fatal: PortariaError | undefined;

  const totalChanges = database.prepare<[], number>('select total_changes()').pluck();
  const changes = (): number => totalChanges.get() ?? 0;
  const inSavepoint = database.transaction((work: Work) => work());
  const runGuarded = (work: Work): unknown => {
    const marks = parts.map((part) => part.mark());
    try {
      return inSavepoint(work);
    } catch (error) {
      for (const goBack of marks) goBack();
      throw error;
    }
  };
  const runBatch = database.transaction((batch: readonly Work[], run: (work: Work) => unknown) => {
    const outcomes = batch.map((work): Outcome => {
      try {
        return { value: run(work) };
      } catch (error) {
        if (!database.inTransaction || !concernsOneItem(error)) throw error;
        if (run === unguarded) throw new UnguardedFailure();
        return { error: storeError(error, options.location) };
      }
    });
    for (const part of parts) part.beforeCommit?.();
    return outcomes;
  });

  function runOnce(batch: readonly Work[], run: (work: Work) => unknown): readonly Outcome[] {
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
   * A savepoint around each work costs a fifth of an accepted event, and works
   * seldom fail: they get one only when the batch is run again because of one
   * that did.
   */
  function runAll(batch: readonly Work[]): readonly Outcome[] {
    try {
      return runOnce(batch, unguarded);
    } catch (error) {
      if (error instanceof UnguardedFailure) return runOnce(batch, runGuarded);
      throw error;
    }
  }

  /** A disk that is full may have room once the log is moved. */
  function runWhereRoomIs(batch: readonly Work[]): readonly Outcome[] {
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
        const outcomes = runWhereRoomIs(batch);
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
        checkpoint.whenDue();
      } catch (error) {
        fail(error);
      }
    },
    healthy: () => healthy,
    fatal: () => fatal,
  };
}
