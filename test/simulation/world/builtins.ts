/**
 * Puts what Node.js takes from the machine under the simulation: the event loop's turns, the monotonic clock,
 * `fetch`, and random bytes. The clock of Portaria is a parameter, and so are most of its random numbers.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import perfHooks from 'node:perf_hooks';
import timers from 'node:timers/promises';
import type { Random } from '../../../src/kernel/random.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Bytes whose content matters: longer ones only take room. */
const MAX_DRAWN = 1_024;

class NoObserver {
  observe(): void {
    // There is nothing to observe.
  }
}

/** Replaces them until the returned function is called. Modules that imported them by name see the change. */
export function simulateBuiltins(
  time: VirtualTime,
  random: Random,
  fetch: typeof globalThis.fetch,
): () => void {
  const real = {
    setImmediate: globalThis.setImmediate,
    fetch: globalThis.fetch,
    now: performance.now,
    turn: timers.setImmediate,
    randomBytes: crypto.randomBytes,
    randomUUID: crypto.randomUUID,
    observer: perfHooks.PerformanceObserver,
    delays: perfHooks.monitorEventLoopDelay,
  };

  const draw = (size: number): Buffer =>
    size > MAX_DRAWN
      ? Buffer.alloc(size, 1)
      : Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));

  function replace(by: typeof real): void {
    globalThis.setImmediate = by.setImmediate;
    globalThis.fetch = by.fetch;
    performance.now = by.now;
    timers.setImmediate = by.turn;
    Object.assign(crypto, { randomBytes: by.randomBytes, randomUUID: by.randomUUID });
    Object.assign(perfHooks, { PerformanceObserver: by.observer, monitorEventLoopDelay: by.delays });
    syncBuiltinESMExports();
  }

  replace({
    fetch,
    setImmediate: ((task: (...values: unknown[]) => void, ...values: unknown[]) => {
      time.immediate(() => {
        task(...values);
      });
    }) as unknown as typeof setImmediate,
    now: () => time.monotonic(),
    turn: (<T>(value: T) =>
      new Promise<T>((resolve) => {
        time.immediate(() => {
          resolve(value);
        });
      })) as typeof timers.setImmediate,
    randomBytes: ((size: number) => draw(size)) as typeof crypto.randomBytes,
    // Metrics of the process: each one that died would go on observing.
    observer: NoObserver as unknown as typeof perfHooks.PerformanceObserver,
    delays: undefined as unknown as typeof perfHooks.monitorEventLoopDelay,
    randomUUID: () => draw(16).toString('hex') as ReturnType<typeof crypto.randomUUID>,
  });
  return () => {
    replace(real);
  };
}
