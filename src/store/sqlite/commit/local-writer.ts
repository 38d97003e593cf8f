/** Commits writes in the calling thread, as commands do. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { Connection } from '../sql/connection.ts';
import {
  createBatchCommit,
  MAX_OPERATIONS_PER_COMMIT,
  type BatchCommit,
  type BatchCommitOptions,
} from './batch-commit.ts';
import { createWriteOperations, type StoreLimits, type WriteOperations } from './write-operations.ts';
import { createWriter, type Writer } from './writer.ts';

type OperationOf<Name extends keyof WriteOperations> = (
  ...parameters: Parameters<WriteOperations[Name]>
) => ReturnType<WriteOperations[Name]>;

/** Commits write operations in this thread, between the tasks of its event loop. */
export function createLocalWriter(
  connection: Connection,
  options: Omit<BatchCommitOptions, 'parts'> & StoreLimits,
): Writer {
  const { operations, parts } = createWriteOperations(connection, options);
  const batches = createBatchCommit(connection.database, { ...options, parts });
  const commits = createLocalCommit(batches, options);
  return createWriter({
    names: Object.keys(operations),
    call(name, ...parameters) {
      const operation = operations[name] as OperationOf<typeof name>;
      return commits.write(() => operation(...parameters));
    },
    healthy: () => batches.healthy(),
    fatal: () => batches.fatal(),
    async close() {
      commits.close();
    },
  });
}

/** Groups operations into transactions, which share the wait for the disk. */
export interface LocalCommit {
  /**
   * Runs `operation` in the next transaction and settles after its commit. All
   * calls of one run of the event loop share a transaction.
   *
   * @throws PortariaError `store-full`, `store-busy`, `store-failed`, `stopping`.
   */
  write<T>(operation: () => T): Promise<T>;
  /** Commits pending operations. Later calls reject with `stopping`. */
  close(): void;
}

interface PendingWrite {
  readonly operation: () => unknown;
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
    const outcomes = batches.run(batch.map(({ operation }) => operation));
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
    write<T>(operation: () => T) {
      return new Promise<T>((resolve, reject) => {
        if (closed) {
          reject(new PortariaError('stopping', `${location} is closed`));
          return;
        }
        pending.push({ operation, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      });
    },
    close() {
      closed = true;
      while (pending.length > 0) flush();
    },
  };
}
