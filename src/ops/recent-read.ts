/** One read of the store for all metrics of a scrape. */
import type { Clock } from '../kernel/time/clock.ts';

/** Milliseconds for which scrapes share one read of the store. */
const READ_EVERY_MS = 10_000;

/** Returns the last result while it is recent, otherwise a new one; null before the first success. */
export function recentRead<T>(read: () => Promise<T>, clock: Clock): () => Promise<T | null> {
  let last: T | null = null;
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;

  async function readAgain(): Promise<void> {
    try {
      last = await read();
      readAt = clock.monotonic();
    } catch {
      // The health gauge shows the failure; old numbers are better than none.
    } finally {
      reading = null;
    }
  }

  return async () => {
    if (clock.monotonic() - readAt >= READ_EVERY_MS) await (reading ??= readAgain());
    return last;
  };
}
