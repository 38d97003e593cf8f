import { PortariaError } from '../../../kernel/errors.ts';
import type { BatchCommit } from './batch-commit.ts';

/** Keeps a commit short: whoever comes meanwhile waits for it. */
export const MAX_IN_A_COMMIT = 512;

/** Writes that share transactions, and so the wait for the disk. */
export interface GroupCommit {
  /**
   * Runs `work` in the next transaction and settles after its commit. All that
   * is asked for in one turn of the event loop, so also all that arrives while
   * a commit runs, is one transaction.
   *
   * @throws PortariaError `store-full`, `store-busy`, `store-failed`, `stopping`.
   */
  write<T>(work: () => T): Promise<T>;
  /** Commits what waits; what is asked for later is refused. */
  close(): void;
}

interface Item {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommit(
  batches: BatchCommit,
  { location }: { readonly location: string },
): GroupCommit {
  let waiting: Item[] = [];
  let scheduled = false;
  let closed = false;

  function flush(): void {
    scheduled = false;
    const batch = waiting.slice(0, MAX_IN_A_COMMIT);
    waiting = waiting.slice(MAX_IN_A_COMMIT);
    if (waiting.length > 0) schedule();
    if (batch.length === 0) return;
    const outcomes = batches.run(batch.map(({ work }) => work));
    for (const [index, item] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined && 'value' in outcome) item.resolve(outcome.value);
      else item.reject(outcome?.error);
    }
    batches.checkpoint();
  }

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(flush);
  }

  return {
    write<T>(work: () => T) {
      return new Promise<T>((resolve, reject) => {
        if (closed) {
          reject(new PortariaError('stopping', `${location} is closed`));
          return;
        }
        waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      });
    },
    close() {
      closed = true;
      while (waiting.length > 0) flush();
    },
  };
}
