import { pause } from '../../src/kernel/time/pause.ts';
import type { Clock } from '../../src/kernel/time/clock.ts';
import type { Logger } from '../../src/kernel/logger.ts';
import type { Outbox, Repeat, Settlement } from './outbox.ts';

/** What became of webhooks, on its way to the database; that of all lanes together. */
export interface Settlements {
  add(settlement: Settlement, repeats: readonly Repeat[]): void;
  /** How many are not yet written. */
  readonly waiting: number;
  /** Resolves when all that was added so far is written; never rejects. */
  written(): Promise<void>;
}

export interface GroupOptions {
  readonly outbox: Pick<Outbox, 'settle'>;
  readonly machine: Clock;
  readonly log: Logger;
  /** Milliseconds that others are waited for; 0: only as long as the last write takes. */
  readonly gatherMs: number;
  /** From then on a write that fails is not tried again: what it was about will be sent again. */
  readonly stop: AbortSignal;
}

/** Milliseconds until the database is tried again. */
const DATABASE_PAUSE_MS = 1_000;

/** Writes what is settled in few transactions. */
export function groupSettlements({ outbox, machine, log, gatherMs, stop }: GroupOptions): Settlements {
  let settled: Settlement[] = [];
  let repeats: Repeat[] = [];
  let [added, written] = [0, 0];
  let writing: Promise<void> | null = null;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || writing !== null || settled.length === 0) return;
    isScheduled = true;
    const begin = () => {
      isScheduled = false;
      void write();
    };
    if (gatherMs === 0) setImmediate(begin);
    else machine.after(gatherMs, begin);
  }

  /** One write at a time: what comes meanwhile goes with the next. */
  function write(): Promise<void> {
    writing ??= writeGathered().then(() => {
      writing = null;
      schedule();
    });
    return writing;
  }

  async function writeGathered(): Promise<void> {
    const batch = { settled, repeats };
    settled = [];
    repeats = [];
    for (let isWritten = batch.settled.length === 0; !isWritten;) {
      try {
        await outbox.settle(batch.settled, batch.repeats);
        isWritten = true;
      } catch (error) {
        log.error({ err: error }, 'The outbox cannot be written; it is tried again');
        isWritten = stop.aborted;
        await pause(machine, DATABASE_PAUSE_MS, stop);
      }
    }
    written += batch.settled.length;
  }

  return {
    add(settlement, itsRepeats) {
      settled.push(settlement);
      repeats.push(...itsRepeats);
      added += 1;
      schedule();
    },
    get waiting() {
      return added - written;
    },
    async written() {
      const target = added;
      for (;;) {
        if (written >= target) return;
        await write();
      }
    },
  };
}
