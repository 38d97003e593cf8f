/** Releases deliveries that were claimed and have not begun. */
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { DeliveryKey, UnreadDelivery } from '../../store/lane-queue.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import type { InFlight } from '../claim/in-flight.ts';
import type { RetriedStore } from '../retried-store.ts';

/** Milliseconds until an unreadable delivery is due again: others run first, and the cause may be gone by then. */
const UNREADABLE_WAIT_MS = 1_000;

/**
 * Releases deliveries that have not begun, in one transaction, and reports it.
 * They count as in flight until then. Both functions resolve when that is done,
 * and never reject.
 */
export interface ReleaseDeliveries {
  /** Releases deliveries that may not start now. They are due at once. */
  inadmissible(deliveries: readonly DeliveryKey[], reason: string): Promise<void>;
  /** Releases deliveries whose events cannot be read. They are due a little later. */
  unreadable(deliveries: readonly UnreadDelivery[]): Promise<void>;
}

export function createReleaseDeliveries(deps: {
  readonly store: Pick<RetriedStore, 'release' | 'abandon'>;
  readonly inFlight: Pick<InFlight, 'remove'>;
  readonly telemetry: Telemetry;
  readonly log: Pick<Logger, 'error'>;
}): ReleaseDeliveries {
  const { store, inFlight, telemetry, log } = deps;

  async function release(deliveries: readonly DeliveryKey[], reason: string, waitMs: number): Promise<void> {
    try {
      await store.release(deliveries, { waitMs });
      for (const [handler, count] of countByHandler(deliveries))
        telemetry.emit('dispatch.released', { handler, deliveries: count, reason });
    } catch (error) {
      const fields = { deliveries: deliveries.length, reason: failureReason(error) };
      log.error(fields, 'deliveries were not released: they will run again once the store can be written');
      store.abandon(deliveries);
    }
    inFlight.remove(deliveries.length);
  }

  return {
    inadmissible: (deliveries, reason) => release(deliveries, reason, 0),
    async unreadable(deliveries) {
      const [first] = deliveries;
      if (first === undefined) return;
      telemetry.emit('dispatch.failed', { reason: first.reason });
      await release(deliveries, first.reason, UNREADABLE_WAIT_MS);
    },
  };
}

function countByHandler(deliveries: readonly DeliveryKey[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { handler } of deliveries) counts.set(handler, (counts.get(handler) ?? 0) + 1);
  return counts;
}
