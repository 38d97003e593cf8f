/** Writes the results of attempts to the outbox, in batches. */
import { pause } from '../../../src/kernel/time/pause.ts';
import type { Clock } from '../../../src/kernel/time/clock.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { DeliveryUpdate, Outbox, Repeat } from '../outbox/outbox.ts';

/** Results of attempts on their way to the database, of all lanes together. */
export interface DeliveryUpdates {
  add(update: DeliveryUpdate, repeats: readonly Repeat[]): void;
  /** Number of results that are not written yet. */
  readonly waiting: number;
  /** Resolves when all results added so far are written. Never rejects. */
  written(): Promise<void>;
}

/** Milliseconds until a failed write is retried. */
const RETRY_MS = 1_000;

/**
 * Batches results: those of one tick of the event loop, and those that arrive during
 * a write, share a transaction.
 *
 * @param deps.stop once aborted, a failed write is not retried; its webhooks are sent
 *   again at the next start.
 */
export function batchDeliveryUpdates({
  outbox,
  machine,
  log,
  stop,
}: {
  readonly outbox: Pick<Outbox, 'save'>;
  readonly machine: Clock;
  readonly log: Logger;
  readonly stop: AbortSignal;
}): DeliveryUpdates {
  let updates: DeliveryUpdate[] = [];
  let repeats: Repeat[] = [];
  let [added, written] = [0, 0];
  let writing: Promise<void> | null = null;
  let isScheduled = false;

  function schedule(): void {
    if (isScheduled || writing !== null || updates.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      void write();
    });
  }

  /** Runs one write at a time. */
  function write(): Promise<void> {
    writing ??= writeBatch().then(() => {
      writing = null;
      schedule();
    });
    return writing;
  }

  async function writeBatch(): Promise<void> {
    const batch = { updates, repeats };
    updates = [];
    repeats = [];
    for (let isWritten = batch.updates.length === 0; !isWritten;) {
      try {
        await outbox.save(batch.updates, batch.repeats);
        isWritten = true;
      } catch (error) {
        log.error({ err: error }, 'The webhook outbox cannot be written; retrying');
        isWritten = stop.aborted;
        await pause(machine, RETRY_MS, stop);
      }
    }
    written += batch.updates.length;
  }

  return {
    add(update, itsRepeats) {
      updates.push(update);
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
