import PQueue from 'p-queue';

/** Bounds how many tasks run at a time. Waiting tasks start in the order they came. */
export interface ConcurrencyLimit {
  /** Runs the task as soon as the limit allows: synchronously when it allows now. */
  readonly run: <T>(task: () => T | Promise<T>) => T | Promise<T>;
  /** How many tasks wait. */
  waiting(): number;
  /** Resolves when no task waits; at once when none does. */
  noneWaiting(): Promise<void>;
  /** Removes the limit for waiting and future tasks. */
  lift(): void;
}

/** Only asynchronous tasks enter the queue: a synchronous one ends before another could start. */
export function createConcurrencyLimit(concurrency: number): ConcurrencyLimit {
  const queue = new PQueue({ concurrency });
  return {
    run(task) {
      if (queue.pending >= queue.concurrency) return queue.add(async () => task());
      const result = task();
      return result instanceof Promise ? queue.add(() => result) : result;
    },
    waiting: () => queue.size,
    noneWaiting: () => queue.onSizeLessThan(1),
    lift() {
      queue.concurrency = Infinity;
    },
  };
}
