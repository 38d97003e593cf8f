import type { Clock } from '../kernel/time/clock.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { DeliveryKey, LaneQueue, UnreadDelivery } from '../store/lane-queue.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { WithRetry } from './with-retry.ts';

/** How long what cannot be read is left alone, in milliseconds: time enough for others, and for whoever mends it. */
const UNREADABLE_MS = 1_000;

/**
 * Gives back deliveries that have not begun, all together, then reports it.
 * What the store does not take at first is tried again, as outcomes are. Both
 * resolve when nothing more is done about them, and never reject.
 */
export interface Release {
  /** Those that may not run now, and why. */
  refused(deliveries: readonly DeliveryKey[], reason: string): Promise<void>;
  /** Those whose events cannot be read: they are due again a little later. */
  unreadable(deliveries: readonly UnreadDelivery[]): Promise<void>;
}

interface Parts {
  readonly store: Pick<LaneQueue, 'release'>;
  readonly withRetry: WithRetry;
  readonly telemetry: Telemetry;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'error'>;
  readonly shutdown: AbortSignal;
}

export function createRelease(parts: Parts): Release {
  const { store, withRetry, telemetry, clock, log, shutdown } = parts;

  async function giveBack(deliveries: readonly DeliveryKey[], reason: string, waitMs: number): Promise<void> {
    try {
      await withRetry(() => store.release(deliveries, { dueAt: clock.now() + waitMs }), shutdown);
    } catch (error) {
      const fields = { deliveries: deliveries.length, reason: failureReason(error) };
      log.error(fields, 'Deliveries not handed back; they run again after the next start');
      return;
    }
    for (const [handler, count] of countByHandler(deliveries))
      telemetry.emit('dispatch.released', { handler, deliveries: count, reason });
  }

  return {
    refused: (deliveries, reason) => giveBack(deliveries, reason, 0),
    async unreadable(deliveries) {
      const [first] = deliveries;
      if (first === undefined) return;
      telemetry.emit('dispatch.failed', { reason: first.reason });
      await giveBack(deliveries, first.reason, UNREADABLE_MS);
    },
  };
}

function countByHandler(deliveries: readonly DeliveryKey[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { handler } of deliveries) counts.set(handler, (counts.get(handler) ?? 0) + 1);
  return counts;
}
