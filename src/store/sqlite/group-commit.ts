import type { Database } from 'better-sqlite3';
import { PortariaError } from '../../kernel/errors.ts';
import { checkpointIfDue } from './checkpoint.ts';
import { concernsOneItem, isFatal, storeError } from './store-error.ts';
import type { TransactionPart } from './transaction-part.ts';

/** Keeps a commit short: it blocks the process, at some 50 microseconds a write. */
const MOST_IN_A_COMMIT = 512;

/** Writes that share transactions, and so the wait for the disk. */
export interface GroupCommit {
  /**
   * Runs `work` in the next transaction and settles after its commit. All that
   * is asked for in one turn of the event loop, so also all that arrives while
   * a commit runs, is one transaction. What `work` throws of its own undoes its
   * own writes alone; an error of the file undoes the whole transaction. It may
   * be run twice, so it does nothing but read and write the database.
   *
   * @throws PortariaError `store-full`, `store-busy`, `store-failed`, `stopping`.
   */
  write<T>(work: () => T): Promise<T>;
  /**
   * Whether the last write went well. While it is false each question makes one
   * more attempt, so that an idle store notices when there is room again.
   */
  healthy(): boolean;
  /** Commits what waits; what is asked for later is refused. */
  close(): void;
}

/** An item failed without a savepoint of its own: the transaction is undone as a whole. */
class UnguardedFailure extends Error {}

const unguarded = (item: Item): unknown => item.work();

interface Item {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * @param onFatal told once, when the file must not be written again. The
 *   process should end: what was committed is safe, what was not has no answer.
 */
export function createGroupCommit(
  database: Database,
  options: {
    readonly location: string;
    /** Looks, before each transaction, whether the file is still the one that was opened; throws if not. */
    readonly check: () => void;
    /** A write that changes nothing. */
    readonly probe: () => void;
    readonly onFatal: (error: PortariaError) => void;
    /** What follows the fate of each transaction. */
    readonly parts?: readonly TransactionPart[];
  },
): GroupCommit {
  const { parts = [] } = options;
  let waiting: Item[] = [];
  let scheduled = false;
  let closed = false;
  let healthy = true;
  let fatal: PortariaError | undefined;

  const totalChanges = database.prepare<[], number>('select total_changes()').pluck();
  const changes = (): number => totalChanges.get() ?? 0;
  const inSavepoint = database.transaction((item: Item) => item.work());
  const runGuarded = (item: Item): unknown => {
    const marks = parts.map((part) => part.mark());
    try {
      return inSavepoint(item);
    } catch (error) {
      for (const goBack of marks) goBack();
      throw error;
    }
  };
  const runBatch = database.transaction((batch: readonly Item[], run: (item: Item) => unknown) => {
    const outcomes = batch.map((item): Outcome => {
      try {
        return { value: run(item) };
      } catch (error) {
        if (!database.inTransaction || !concernsOneItem(error)) throw error;
        if (run === unguarded) throw new UnguardedFailure();
        return { error };
      }
    });
    for (const part of parts) part.beforeCommit?.();
    return outcomes;
  });

  function runOnce(batch: readonly Item[], run: (item: Item) => unknown): readonly Outcome[] {
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
   * A savepoint around each item costs a fifth of an accepted event, and items
   * seldom fail: they get one only when the batch is run again because of one
   * that did.
   */
  function runAll(batch: readonly Item[]): readonly Outcome[] {
    try {
      return runOnce(batch, unguarded);
    } catch (error) {
      if (error instanceof UnguardedFailure) return runOnce(batch, runGuarded);
      throw error;
    }
  }

  function commit(batch: readonly Item[]): void {
    if (batch.length === 0) return;
    if (fatal !== undefined) {
      for (const item of batch) item.reject(fatal);
      return;
    }
    try {
      options.check();
      const before = healthy ? 0 : changes();
      const outcomes = runAll(batch);
      // A claim that finds nothing commits on a full disk too, and proves nothing.
      if (!healthy && changes() > before) healthy = true;
      settle(batch, outcomes, options.location);
    } catch (error) {
      const failure = fail(error);
      for (const item of batch) item.reject(failure);
      return;
    }
    try {
      checkpointIfDue(database);
    } catch (error) {
      fail(error);
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

  function flush(): void {
    scheduled = false;
    const batch = waiting.slice(0, MOST_IN_A_COMMIT);
    waiting = waiting.slice(MOST_IN_A_COMMIT);
    if (waiting.length > 0) schedule();
    commit(batch);
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  function write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (closed) {
        reject(new PortariaError('stopping', `${options.location} is closed`));
        return;
      }
      waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      schedule();
    });
  }

  return {
    write,
    healthy() {
      // Whatever comes of it is seen at the next question.
      if (!healthy && fatal === undefined) write(options.probe).catch(() => undefined);
      return healthy;
    },
    close() {
      closed = true;
      while (waiting.length > 0) flush();
    },
  };
}

function settle(batch: readonly Item[], outcomes: readonly Outcome[], location: string): void {
  for (const [index, item] of batch.entries()) {
    const outcome = outcomes[index];
    if (outcome !== undefined && 'value' in outcome) item.resolve(outcome.value);
    else item.reject(storeError(outcome?.error, location));
  }
}
