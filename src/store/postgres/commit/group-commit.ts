/**
 * Groups writes into transactions, which share the wait for the disk.
 *
 * It knows no lock by itself: `run` takes them, and says what it left out. What must stay: items of one key are written
 * in the order of their calls, never in two transactions at once. How batches are cut may change freely.
 */
import { PortariaError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { concernsOneOperation, isLockTimeout } from '../database/connections/store-error.ts';
import { createWaitLimit, type Wait } from './wait-limit.ts';

/** The result of one item of a transaction. `isLocked`: another transaction holds what it needs, and nothing was written. */
export type Outcome<R> = { readonly value: R } | { readonly error: unknown } | { readonly isLocked: true };

export interface GroupCommitOptions<T, R> {
  readonly location: string;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /**
   * Writes items in one transaction, and returns an outcome for each after the commit. When it fails, nothing was
   * stored.
   *
   * @param options.waits whether to wait for a lock if every item needs one; if false, items that need one are left out
   * @param options.requireTimely throws when an item was rejected meanwhile. Called once all locks are held: the
   *   sender may have repeated it at another process, which may have stored later events of its subject since.
   */
  readonly run: (
    batch: readonly T[],
    options: { readonly waits: boolean; readonly requireTimely: () => void },
  ) => Promise<readonly Outcome<R>[]>;
  /** Items with the same key are written in order: never in two transactions at once. */
  readonly keyOf: (item: T) => string;
  readonly bytesOf: (item: T) => number;
  /** The maximum number of transactions at once. */
  readonly maxTransactions: number;
}

/** Groups items into transactions, which share the wait for the disk. */
export interface GroupCommit<T, R> {
  /**
   * Writes an item. What arrives while transactions run shares the next one.
   *
   * @throws PortariaError `store-busy` when too many items wait, or after 9 to 9.5 seconds of waiting: a transaction
   *   that held its locks by then may still commit it; `stopping` after the close
   */
  write(item: T): Promise<R>;
  /** Writes what waits. Later calls reject. */
  close(): Promise<void>;
}

/** The maximum number of items in a transaction, which keeps commits short for those that wait. */
const MAX_ITEMS = 256;

/** The maximum bytes of a transaction, unless one item has more. */
const MAX_BYTES = 8 * 1024 * 1024;

/** The maximum number of items that wait, those that wait for a lock included. */
const MAX_WAITING = 8_192;

interface Waiting<T, R> extends Wait {
  readonly item: T;
  readonly key: string;
  readonly resolve: (value: R) => void;
  readonly reject: (error: unknown) => void;
}

/** Batches that are being written, and when each has ended. */
type Running<T, R> = Map<readonly Waiting<T, R>[], Promise<void>>;

export function createGroupCommit<T, R>(options: GroupCommitOptions<T, R>): GroupCommit<T, R> {
  const { location, clock, run, keyOf, bytesOf, maxTransactions } = options;
  let waiting: Waiting<T, R>[] = [];
  const busyKeys = new Set<string>();
  const running: Running<T, R> = new Map();
  let locked: Waiting<T, R>[] = [];
  const runningLocked: Running<T, R> = new Map();
  let scheduled = false;
  let closed = false;
  const limit = createWaitLimit({
    ...{ clock, location },
    waits: () => [...waiting, ...locked, ...inTransactions()],
    onOverdue() {
      waiting = waiting.filter(({ overdue }) => !overdue);
      dropLocked();
      schedule();
    },
  });

  function inTransactions(): Waiting<T, R>[] {
    return [...running.keys(), ...runningLocked.keys()].flat();
  }

  /** Frees the keys of items that were rejected while they waited for a lock, unless others have them. */
  function dropLocked(): void {
    for (const { key, overdue } of locked) if (overdue) busyKeys.delete(key);
    locked = locked.filter(({ overdue }) => !overdue);
    for (const { key } of [...locked, ...inTransactions()]) busyKeys.add(key);
  }

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

  /** Returns the items that need a lock of another transaction. */
  async function commit(batch: readonly Waiting<T, R>[], waits: boolean): Promise<Waiting<T, R>[]> {
    const items = batch.map(({ item }) => item);
    const state = { isLate: false };
    function requireTimely(): void {
      limit.rejectLate(batch);
      state.isLate = batch.some(({ overdue }) => overdue);
      if (state.isLate) throw new PortariaError('store-failed', `${location}: a write came too late`);
    }
    const outcomes = await run(items, { waits, requireTimely }).catch((error: unknown) => ({ error }));
    if ('error' in outcomes) {
      const isLocked = isLockTimeout(outcomes.error);
      // The server does not say which item it was. At the first try, and for a single item, all are left.
      if (isLocked && (!waits || batch.length === 1)) return [...batch];
      if (state.isLate) {
        const timely = batch.filter(({ overdue }) => !overdue);
        return timely.length === 0 ? [] : commit(timely, waits);
      }
      if (batch.length === 1 || !(isLocked || concernsOneOperation(outcomes.error))) {
        for (const { reject } of batch) reject(outcomes.error);
        return [];
      }
      // One item may have failed the others: each is written by itself, but none before an earlier one of its key. A wait
      // that was in vain is not repeated for each.
      const waitsAgain = waits && !isLocked;
      const left: Waiting<T, R>[] = [];
      const leftKeys = new Set<string>();
      for (const one of batch) {
        if (one.overdue) continue;
        const isLeft = leftKeys.has(one.key) || (await commit([one], waitsAgain)).length > 0;
        if (!isLeft) continue;
        leftKeys.add(one.key);
        left.push(one);
      }
      return left;
    }
    return batch.filter(({ resolve, reject }, at) => {
      const outcome = outcomes[at] ?? { error: new Error('an item has no outcome') };
      if ('isLocked' in outcome) return true;
      if ('value' in outcome) resolve(outcome.value);
      else reject(outcome.error);
      return false;
    });
  }

  /** Runs a batch beside the others. The keys of its items are busy until they are written. */
  function runBatch(batch: readonly Waiting<T, R>[], siblings: Running<T, R>, waits: boolean): void {
    for (const { key } of batch) busyKeys.add(key);
    async function commitAndGoOn(): Promise<void> {
      const left = (await commit(batch, waits)).filter(({ overdue }) => !overdue);
      for (const { key } of batch) busyKeys.delete(key);
      // They are put back at the end, so that other keys go first. Items of one key keep their order.
      const leftKeys = new Set(left.map(({ key }) => key));
      locked = [
        ...locked.filter(({ key }) => !leftKeys.has(key)),
        ...left,
        ...locked.filter(({ key }) => leftKeys.has(key)),
      ];
      for (const { key } of locked) busyKeys.add(key);
      siblings.delete(batch);
      startLocked();
      schedule();
    }
    siblings.set(batch, commitAndGoOn());
  }

  /** One transaction at a time waits for locks, beside those that do not: whoever holds one may be frozen. */
  function startLocked(): void {
    if (locked.length === 0 || runningLocked.size > 0) return;
    const batch: Waiting<T, R>[] = [];
    let bytes = 0;
    for (const one of locked) {
      bytes += bytesOf(one.item);
      if (batch.length === MAX_ITEMS || (batch.length > 0 && bytes > MAX_BYTES)) break;
      batch.push(one);
    }
    locked = locked.slice(batch.length);
    runBatch(batch, runningLocked, true);
  }

  function start(): void {
    scheduled = false;
    while (running.size < maxTransactions && waiting.length > 0) {
      const batch = takeBatch();
      if (batch.length === 0) return;
      runBatch(batch, running, false);
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
        if (waiting.length + locked.length >= MAX_WAITING) {
          reject(new PortariaError('store-busy', `${location}: ${String(MAX_WAITING)} writes wait already`));
          return;
        }
        const since = limit.begin();
        waiting.push({ item, key: keyOf(item), resolve, reject, since, overdue: false });
        schedule();
      }),
    async close() {
      closed = true;
      while (waiting.length > 0 || running.size + runningLocked.size > 0) {
        if (running.size === 0) start();
        await Promise.race([...running.values(), ...runningLocked.values()]);
      }
      limit.end();
    },
  };
}
