/** How long a write waits for PostgreSQL at most. */
import { PortariaError } from '../../../kernel/errors.ts';
import type { Cancel, Clock } from '../../../kernel/time/clock.ts';
import { MAX_WAIT_MS } from '../database/connections/lock-waits.ts';

/** The interval of the check. With it, a response comes within the 10 seconds that senders wait at least. */
const CHECK_MS = 500;

/** A write that waits for its result. */
export interface Wait {
  /** By the monotonic clock. */
  readonly since: number;
  readonly reject: (error: PortariaError) => void;
  /** Whether it was rejected because it took too long. It may have been stored all the same. */
  overdue: boolean;
}

/** Rejects writes that have waited too long. */
export interface WaitLimit {
  /** Returns the `since` of a write that begins to wait. */
  begin(): number;
  /** Rejects those of some writes that have waited too long, before the next check of all. */
  rejectLate(some: Iterable<Wait>): void;
  /** Ends the checks. */
  end(): void;
}

export interface WaitLimitOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly location: string;
  /** Returns the writes that wait. */
  readonly waits: () => Iterable<Wait>;
  /** Called after writes were rejected. */
  readonly onOverdue: () => void;
}

/** One timer for all writes: one for each would cost every webhook, and hardly any waits this long. */
export function createWaitLimit({ clock, location, waits, onOverdue }: WaitLimitOptions): WaitLimit {
  let cancel: Cancel | undefined;

  function check(): void {
    cancel = undefined;
    if (rejectLate(waits()) > 0) cancel = clock.after(CHECK_MS, check);
  }

  /** @returns how many go on waiting */
  function rejectLate(some: Iterable<Wait>): number {
    const latest = clock.monotonic() - MAX_WAIT_MS;
    const open = [...some].filter(({ overdue }) => !overdue);
    const late = open.filter(({ since }) => since <= latest);
    for (const wait of late) {
      wait.overdue = true;
      const seconds = String(MAX_WAIT_MS / 1000);
      wait.reject(
        new PortariaError(
          'store-busy',
          `${location}: PostgreSQL has not stored a write for ${seconds} s: look at its load, its locks and the network`,
        ),
      );
    }
    if (late.length > 0) onOverdue();
    return open.length - late.length;
  }

  return {
    begin() {
      cancel ??= clock.after(CHECK_MS, check);
      return clock.monotonic();
    },
    rejectLate,
    end() {
      cancel?.();
    },
  };
}
