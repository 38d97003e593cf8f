import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { DeliveryFields } from '../telemetry/telemetry.ts';

/** Says that an outcome could not be stored. The store still counts the delivery as running: recovery runs it again. */
export function reportUnrecorded(
  { delivery, event, handler }: DeliveryFields,
  error: unknown,
  log: Pick<Logger, 'error'>,
): void {
  const fields = { delivery, event, handler, reason: failureReason(error) };
  log.error(fields, 'Outcome not recorded; the delivery runs again after the next start');
}
