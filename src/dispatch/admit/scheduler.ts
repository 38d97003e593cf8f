/** When a task runs: within the concurrency limit, and in ticks short enough for requests between them. */
import PQueue from 'p-queue';
import type { Clock } from '../../kernel/time/clock.ts';

/** Milliseconds for which deliveries may run before the event loop gets its next tick. */
const MAX_RUN_MS = 1;

/**
 * Bounds how many tasks run at a time, and yields to the event loop between
 * tasks. Handlers and the store may resolve without leaving the microtask
 * queue, and requests must not wait for them. A tick costs more than most
 * deliveries, so not each one yields.
 */
export interface Scheduler {
  /** Runs the task as soon as the concurrency limit allows: synchronously when it allows now. */
  readonly run: <T>(task: () => T | Promise<T>) => T | Promise<T>;
  /** How many tasks of `run` wait. They start in the order they came. */
  waiting(): number;
  /** Resolves when no task of `run` waits; at once when none does. */
  noneWaiting(): Promise<void>;
  /** Removes the concurrency limit for waiting and future tasks. */
  lift(): void;
  /** Calls the task in a later tick, after all tasks deferred before it. */
  defer(task: () => void): void;
  /** Calls the task now, or in a later tick if deliveries have used up the time of this one. */
  soon(task: () => void): void;
}

export function createScheduler({
  concurrency,
  clock,
}: {
  readonly concurrency: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}): Scheduler {
  const running = new PQueue({ concurrency });
  let tickStartedAt = -Infinity;
  let deferred: (() => void)[] = [];
  /** Tasks at the front of `deferred` that have run. Removing them one by one would be quadratic. */
  let done = 0;
  let hasTick = false;

  const isTickSpent = (): boolean => clock.monotonic() - tickStartedAt >= MAX_RUN_MS;

  function requestTick(): void {
    if (hasTick) return;
    hasTick = true;
    setImmediate(runTick);
  }

  function runTick(): void {
    hasTick = false;
    tickStartedAt = clock.monotonic();
    // Tasks deferred by these tasks wait for the next tick.
    const end = deferred.length;
    while (done < end) {
      const task = deferred[done];
      done += 1;
      task?.();
      if (isTickSpent()) break;
    }
    if (done * 2 >= deferred.length) {
      deferred = deferred.slice(done);
      done = 0;
    }
    if (deferred.length > 0) requestTick();
  }

  function defer(task: () => void): void {
    deferred.push(task);
    requestTick();
  }

  return {
    run(task) {
      if (running.pending >= running.concurrency) return running.add(async () => task());
      // Only asynchronous tasks enter the queue: a synchronous one ends before another could start.
      const result = task();
      return result instanceof Promise ? running.add(() => result) : result;
    },
    waiting: () => running.size,
    noneWaiting: () => running.onSizeLessThan(1),
    lift() {
      running.concurrency = Infinity;
    },
    defer,
    soon(task) {
      if (isTickSpent()) defer(task);
      else task();
    },
  };
}
