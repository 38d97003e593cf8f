/** A wait that a signal can end early. */
import type { Clock } from './clock.ts';

/** Resolves after `ms` milliseconds, or as soon as `signal` aborts. Never rejects. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener('abort', done);
  });
}

/** Whether a signal is aborted by now: the compiler takes the property, once read, for what it was. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
