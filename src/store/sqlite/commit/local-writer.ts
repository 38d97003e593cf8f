import { createBatchCommit, type BatchCommitOptions } from './batch-commit.ts';
import type { Connection } from '../sql/connection.ts';
import { createGroupCommit } from './group-commit.ts';
import { createWriteOperations, type StoreLimits, type WriteOperations } from './write-operations.ts';
import { committedOperations, type Writer } from './writer.ts';

type Operation<Name extends keyof WriteOperations> = (
  ...parameters: Parameters<WriteOperations[Name]>
) => ReturnType<WriteOperations[Name]>;

/** Commits in this thread, between the turns of its event loop. */
export function createLocalWriter(
  connection: Connection,
  options: Omit<BatchCommitOptions, 'parts'> & StoreLimits,
): Writer {
  const { operations, parts } = createWriteOperations(connection, options);
  const batches = createBatchCommit(connection.database, { ...options, parts });
  const commits = createGroupCommit(batches, options);
  const committed = committedOperations((name, ...parameters) => {
    const operation = operations[name] as Operation<typeof name>;
    return commits.write(() => operation(...parameters));
  });
  return {
    operations: committed,
    healthy() {
      // Whatever comes of it is seen at the next question.
      if (!batches.healthy() && batches.fatal() === undefined) committed.probe().catch(() => undefined);
      return batches.healthy();
    },
    async close() {
      commits.close();
    },
  };
}
