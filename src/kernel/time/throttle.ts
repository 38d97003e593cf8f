/** Limits repeated items, such as equal log lines. */
import type { Cancel, Clock } from './clock.ts';

const INTERVAL_MS = 1_000;

export interface ThrottleOptions<T> {
  readonly clock: Clock;
  /** Called with the latest item and with how many items it stands for, itself included. */
  readonly write: (item: T, times: number) => void;
}

/** Limits how often repeated items are written, for example log lines that any client can cause. */
export interface Throttle<T> {
  /**
   * Writes the first item of a kind at once. Counts the following ones, and writes the count once a second
   * until a second has none.
   *
   * @param kind one of a bounded number; each is remembered for a second
   */
  add(kind: string, item: T): void;
  /** Writes the pending counts. Later items are written at once. */
  close(): void;
}

interface Burst<T> {
  /** Items since the last write. */
  times: number;
  latest: T;
  cancel: Cancel;
}

export function createThrottle<T>({ clock, write }: ThrottleOptions<T>): Throttle<T> {
  const bursts = new Map<string, Burst<T>>();
  let closed = false;

  function begin(kind: string, first: T): void {
    const burst: Burst<T> = { times: 0, latest: first, cancel: clock.after(INTERVAL_MS, endInterval) };
    bursts.set(kind, burst);

    function endInterval(): void {
      if (burst.times === 0) {
        bursts.delete(kind);
        return;
      }
      burst.cancel = clock.after(INTERVAL_MS, endInterval);
      writePending(burst);
    }
  }

  function writePending(burst: Burst<T>): void {
    const { latest, times } = burst;
    burst.times = 0;
    if (times > 0) write(latest, times);
  }

  return {
    add(kind, item) {
      const burst = bursts.get(kind);
      if (burst !== undefined) {
        burst.latest = item;
        burst.times += 1;
        return;
      }
      if (!closed) begin(kind, item);
      write(item, 1);
    },
    close() {
      closed = true;
      for (const burst of bursts.values()) {
        burst.cancel();
        writePending(burst);
      }
      bursts.clear();
    },
  };
}
