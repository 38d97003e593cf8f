/** Bounds how long deliveries run before the event loop gets its turn. */
import type { Clock } from '../kernel/time/clock.ts';

/** Milliseconds for which deliveries may run before the event loop gets its next tick. */
const MAX_RUN_MS = 1;

/**
 * Yields to the event loop between deliveries. Handlers and the store may
 * resolve without leaving the microtask queue, and requests must not wait for
 * them. A tick costs more than most deliveries, so not each one yields.
 */
export interface TickBudget {
  /** Runs the task in a later tick, after all tasks deferred before it. */
  defer(task: () => void): void;
  /** Whether deliveries have used up the time of this tick. */
  isSpent(): boolean;
}

export function createTickBudget(clock: Clock): TickBudget {
  let startedAt = -Infinity;
  let queue: (() => void)[] = [];
  /** Tasks at the front of `queue` that have run. Removing them one by one would be quadratic. */
  let done = 0;
  let scheduled = false;

  const isSpent = (): boolean => clock.monotonic() - startedAt >= MAX_RUN_MS;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(runTick);
  }

  function runTick(): void {
    scheduled = false;
    startedAt = clock.monotonic();
    // Tasks deferred by these tasks wait for the next tick.
    const end = queue.length;
    while (done < end) {
      const task = queue[done];
      done += 1;
      task?.();
      if (isSpent()) break;
    }
    if (done * 2 >= queue.length) {
      queue = queue.slice(done);
      done = 0;
    }
    if (queue.length > 0) schedule();
  }

  return {
    defer(task) {
      queue.push(task);
      schedule();
    },
    isSpent,
  };
}
