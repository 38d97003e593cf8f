import PQueue from 'p-queue';

/** Runs a task when a slot is free: at once when one is. Those that wait go in order. */
export type InSlot = <T>(task: () => T | Promise<T>) => T | Promise<T>;

/** Places to run in, of which there are as many as deliveries may run at a time. */
export interface Slots {
  readonly inSlot: InSlot;
  /** How many tasks wait for a slot. */
  waiting(): number;
  /** Resolves when no task waits for a slot, which may be at once. */
  noneWaiting(): Promise<void>;
  /** Lets all run that wait, and all that come. */
  open(): void;
}

/**
 * Only what takes its time is put into the queue: what is over when it returns
 * has left its slot before anybody else could have wanted it.
 */
export function createSlots(concurrency: number): Slots {
  const queue = new PQueue({ concurrency });
  return {
    inSlot(task) {
      if (queue.pending >= queue.concurrency) return queue.add(async () => task());
      const result = task();
      return result instanceof Promise ? queue.add(() => result) : result;
    },
    waiting: () => queue.size,
    noneWaiting: () => queue.onSizeLessThan(1),
    open() {
      queue.concurrency = Infinity;
    },
  };
}
