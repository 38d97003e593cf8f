import { failureReason } from '../kernel/failure-reason.ts';
import type { DeliveryKey } from '../store/lane-queue.ts';
import type { DispatchParts } from './dispatch-parts.ts';

/**
 * Gives back deliveries whose events nobody has read, all together, then
 * reports it. Resolves when nothing more is done about them. Never rejects.
 *
 * @param reason why they do not run
 */
export type HandBackUnread = (deliveries: readonly DeliveryKey[], reason: string) => Promise<void>;

type Parts = Pick<DispatchParts, 'store' | 'insist' | 'telemetry' | 'clock' | 'log' | 'shutdown'>;

export function createHandBackUnread(parts: Parts): HandBackUnread {
  const { store, insist, telemetry, clock, log, shutdown } = parts;
  return async (deliveries, reason) => {
    try {
      await insist(() => store.handBack(deliveries, { dueAt: clock.now() }), shutdown);
    } catch (error) {
      const fields = { deliveries: deliveries.length, reason: failureReason(error) };
      log.error(fields, 'Deliveries not handed back; they run again after the next start');
      return;
    }
    for (const [handler, count] of countByHandler(deliveries))
      telemetry.emit('dispatch.handed-back', { handler, deliveries: count, reason });
  };
}

function countByHandler(deliveries: readonly DeliveryKey[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { handler } of deliveries) counts.set(handler, (counts.get(handler) ?? 0) + 1);
  return counts;
}
