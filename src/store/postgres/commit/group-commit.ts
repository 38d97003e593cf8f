import { PortariaError } from '../../../kernel/errors.ts';
import { concernsOneOperation } from '../database/store-error.ts';

/** The result of one item of a transaction. */
export type Outcome<R> = { readonly value: R } | { readonly error: unknown };

export interface GroupCommitOptions<T, R> {
  readonly location: string;
  /** Writes items in one transaction, and returns an outcome for each after the commit. When it fails, nothing was stored. */
  run(batch: readonly T[]): Promise<readonly Outcome<R>[]>;
  /** Items with the same key are written in order: never in two transactions at once. */
  keyOf(item: T): string;
  bytesOf(item: T): number;
  /** The maximum number of transactions at once. */
  readonly maxTransactions: number;
}

/** Groups items into transactions, which share the wait for the disk. */
export interface GroupCommit<T, R> {
  /**
   * Writes an item. What arrives while transactions run shares the next one.
   *
   * @throws PortariaError `store-busy` when too many items wait; `stopping` after the close
   */
  write(item: T): Promise<R>;
  /** Writes what waits. Later calls reject. */
  close(): Promise<void>;
}

/** The maximum number of items in a transaction, which keeps commits short for those that wait. */
const MAX_ITEMS = 256;

/** The maximum bytes of a transaction, unless one item has more. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The maximum number of items that wait. */
const MAX_WAITING = 8_192;

interface Waiting<T, R> {
  readonly item: T;
  readonly key: string;
  readonly resolve: (value: R) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommit<T, R>(options: GroupCommitOptions<T, R>): GroupCommit<T, R> {
  const { location, run, keyOf, bytesOf, maxTransactions } = options;
  let waiting: Waiting<T, R>[] = [];
  const busyKeys = new Set<string>();
  const running = new Set<Promise<void>>();
  let scheduled = false;
  let closed = false;

  /** Takes the items of the next transaction, and leaves those whose key is being written. */
  function takeBatch(): Waiting<T, R>[] {
    const batch: Waiting<T, R>[] = [];
    const left: Waiting<T, R>[] = [];
    const leftKeys = new Set<string>();
    let bytes = 0;
    for (const [at, one] of waiting.entries()) {
      const size = bytesOf(one.item);
      if (batch.length === MAX_ITEMS || (batch.length > 0 && bytes + size > MAX_BYTES)) {
        for (const other of waiting.slice(at)) left.push(other);
        break;
      }
      if (busyKeys.has(one.key) || leftKeys.has(one.key)) {
        leftKeys.add(one.key);
        left.push(one);
        continue;
      }
      bytes += size;
      batch.push(one);
    }
    waiting = left;
    return batch;
  }

  async function commit(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      for (const [at, { resolve, reject }] of batch.entries()) {
        const outcome = outcomes[at];
        if (outcome !== undefined && 'value' in outcome) resolve(outcome.value);
        else reject(outcome?.error);
      }
    } catch (error) {
      if (batch.length === 1 || !concernsOneOperation(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      // One item may have failed the others: each is written by itself.
      for (const one of batch) await commit([one]);
    }
  }

  function start(): void {
    scheduled = false;
    while (running.size < maxTransactions && waiting.length > 0) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      const keys = new Set(batch.map(({ key }) => key));
      for (const key of keys) busyKeys.add(key);
      const done: Promise<void> = commit(batch).then(() => {
        for (const key of keys) busyKeys.delete(key);
        running.delete(done);
        schedule();
      });
      running.add(done);
    }
  }

  /** All calls of one run of the event loop share a transaction. */
  function schedule(): void {
    if (scheduled || waiting.length === 0 || running.size >= maxTransactions) return;
    scheduled = true;
    setImmediate(start);
  }

  return {
    write: (item) =>
      new Promise<R>((resolve, reject) => {
        if (closed) {
          reject(new PortariaError('stopping', `${location} is closed`));
          return;
        }
        if (waiting.length >= MAX_WAITING) {
          reject(new PortariaError('store-busy', `${location}: ${String(MAX_WAITING)} writes wait already`));
          return;
        }
        waiting.push({ item, key: keyOf(item), resolve, reject });
        schedule();
      }),
    async close() {
      closed = true;
      while (waiting.length > 0 || running.size > 0) {
        if (running.size === 0) start();
        await Promise.all(running);
      }
    },
  };
}
