/** Commits write operations (write-operations.ts) in this thread; thread/writer-client.ts does in another one. */
import {
  type WriteOperations,
  createWriteOperations,
  mayUseReserve,
  type StoreLimits,
} from './write-operations.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Connection } from '../sql/connection.ts';
import {
  createBatchCommit,
  MAX_OPERATIONS_PER_COMMIT,
  type BatchCommit,
  type BatchCommitOptions,
} from './batch-commit.ts';

/** The write operations as promises, which settle after the commit of their transaction. */
export type CommittedOperations = {
  readonly [Name in keyof WriteOperations]: (
    ...parameters: Parameters<WriteOperations[Name]>
  ) => Promise<ReturnType<WriteOperations[Name]>>;
};

/** Commits write operations, in this thread or in another. */
export interface Writer {
  readonly operations: CommittedOperations;
  /**
   * Whether the last write succeeded. While it is false, each call attempts a
   * write, so that an idle store notices when the disk has room again.
   */
  healthy(): boolean;
  /** Commits pending operations. Later calls reject with `stopping`. */
  close(): Promise<void>;
}

/** What a writer is made of. */
interface WriterParts {
  /** The names of all operations. */
  readonly names: readonly string[];
  /** Calls an operation by its name. */
  readonly call: <Name extends keyof WriteOperations>(
    name: Name,
    ...parameters: Parameters<WriteOperations[Name]>
  ) => Promise<ReturnType<WriteOperations[Name]>>;
  /** Whether the last write succeeded. */
  readonly healthy: () => boolean;
  /** The error after which nothing is written any more. */
  readonly fatal: () => unknown;
  readonly close: () => Promise<void>;
}

/** Makes a method of each operation, and a probe of each question for the health of a writer that failed. */
export function createWriter({ names, call, healthy, fatal, close }: WriterParts): Writer {
  const operations = Object.fromEntries(
    (names as readonly (keyof WriteOperations)[]).map((name) => [
      name,
      (...parameters: Parameters<WriteOperations[typeof name]>) => call(name, ...parameters),
    ]),
  ) as unknown as CommittedOperations;
  return {
    operations,
    healthy() {
      // The next call sees the result.
      if (!healthy() && fatal() === undefined) operations.probe().catch(() => undefined);
      return healthy();
    },
    close,
  };
}

type OperationOf<Name extends keyof WriteOperations> = (
  ...parameters: Parameters<WriteOperations[Name]>
) => ReturnType<WriteOperations[Name]>;

/** Commits write operations in this thread, between the tasks of its event loop. */
export function createLocalWriter(
  connection: Connection,
  options: Omit<BatchCommitOptions, 'parts'> & StoreLimits,
): Writer {
  const { operations, parts } = createWriteOperations(connection, options, options.reserve);
  const batches = createBatchCommit(connection.database, { ...options, parts });
  const commits = createLocalCommit(batches, options);
  return createWriter({
    names: Object.keys(operations),
    call(name, ...parameters) {
      const operation = operations[name] as OperationOf<typeof name>;
      return commits.write(() => operation(...parameters), mayUseReserve.has(name));
    },
    healthy: () => batches.healthy(),
    fatal: () => batches.fatal(),
    async close() {
      commits.close();
    },
  });
}

/** Groups operations into transactions, which share the wait for the disk. */
interface LocalCommit {
  /**
   * Runs `operation` in the next transaction and settles after its commit. All
   * calls of one run of the event loop share a transaction.
   *
   * @throws PortariaError `store-full`, `store-busy`, `store-failed`, `stopping`.
   */
  write<T>(operation: () => T, mayUseReserve?: boolean): Promise<T>;
  /** Commits pending operations. Later calls reject with `stopping`. */
  close(): void;
}

interface PendingWrite {
  readonly operation: () => unknown;
  readonly mayUseReserve: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createLocalCommit(
  batches: BatchCommit,
  { location }: { readonly location: string },
): LocalCommit {
  let pending: PendingWrite[] = [];
  let scheduled = false;
  let closed = false;

  function flush(): void {
    scheduled = false;
    const batch = pending.slice(0, MAX_OPERATIONS_PER_COMMIT);
    pending = pending.slice(MAX_OPERATIONS_PER_COMMIT);
    if (pending.length > 0) schedule();
    if (batch.length === 0) return;
    const outcomes = batches.run(
      batch.map(({ operation }) => operation),
      batch.map((each) => each.mayUseReserve),
    );
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined && 'value' in outcome) resolve(outcome.value);
      else reject(outcome?.error);
    }
    batches.checkpoint();
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  return {
    write<T>(operation: () => T, mayUseReserve = false) {
      return new Promise<T>((resolve, reject) => {
        if (closed) {
          reject(new PortariaError('stopping', `${location} is closed`));
          return;
        }
        pending.push({ operation, mayUseReserve, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      });
    },
    close() {
      closed = true;
      while (pending.length > 0) flush();
    },
  };
}
