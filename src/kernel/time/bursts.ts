import type { Cancel, Clock } from './clock.ts';

const EVERY_MS = 1_000;

export interface BurstOptions<T> {
  readonly clock: Clock;
  /** Called with the latest item and with how many it stands for, itself included. */
  readonly write: (item: T, times: number) => void;
}

/** Keeps what strangers cause from being written as often as they cause it. */
export interface Bursts<T> {
  /**
   * Writes the first item of a kind at once, and counts those that follow: they
   * are written once a second, until there is a second without any.
   *
   * @param kind one of a bounded number: each is remembered for a second.
   */
  add(kind: string, item: T): void;
  /** Writes what is counted; from then on each item is written at once. */
  close(): void;
}

interface Burst<T> {
  /** Since the last line: how many there were, and the latest of them. */
  times: number;
  latest: T;
  cancel: Cancel;
}

export function createBursts<T>({ clock, write }: BurstOptions<T>): Bursts<T> {
  const open = new Map<string, Burst<T>>();
  let closed = false;

  function begin(kind: string, first: T): void {
    const burst: Burst<T> = { times: 0, latest: first, cancel: clock.after(EVERY_MS, tell) };
    open.set(kind, burst);

    function tell(): void {
      if (burst.times === 0) {
        open.delete(kind);
        return;
      }
      burst.cancel = clock.after(EVERY_MS, tell);
      writeCounted(burst);
    }
  }

  function writeCounted(burst: Burst<T>): void {
    const { latest, times } = burst;
    burst.times = 0;
    if (times > 0) write(latest, times);
  }

  return {
    add(kind, item) {
      const burst = open.get(kind);
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
      for (const burst of open.values()) {
        burst.cancel();
        writeCounted(burst);
      }
      open.clear();
    },
  };
}
