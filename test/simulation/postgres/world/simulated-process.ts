/** A process of the world, and which one code runs in. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from '../../checker/calls.ts';
import type { Receiver } from '../../world/receiver.ts';

/** The right to run deliveries, as the statements of the process have won it. */
interface KnownLease {
  readonly holder: number;
  /** When the database has seen it last, by the monotonic clock. */
  readonly seenAt: number;
}

export class SimulatedProcess {
  /** From 1; 0 for commands beside. */
  readonly number: number;
  readonly handlers: readonly string[];
  receiver: Receiver | null = null;
  /** As the process knows the time. */
  now: () => number = () => 0;
  isDead = false;
  /** It does nothing, as a process that was stopped by a signal, or a machine that sleeps. */
  isPaused = false;
  isStopping = false;
  /** It reaches the database no more. */
  isIsolated = false;
  /** Milliseconds by which its machine's clock is ahead. */
  ahead = 0;
  lease: KnownLease | null = null;
  /** Calls that others may repeat, because their lease has ended. */
  readonly lost = new WeakSet<Call>();

  constructor(number: number, handlers: readonly string[]) {
    this.number = number;
    this.handlers = handlers;
  }
}

/** The process that the code runs in; none for the world itself. */
export const running = new AsyncLocalStorage<SimulatedProcess | null>();

export function currentProcess(): SimulatedProcess | null {
  return running.getStore() ?? null;
}
