/** Telemetry for several subscribers, none of which can break what is reported. */
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Telemetry, TelemetrySubscriber } from './telemetry.ts';

/**
 * Emits each telemetry event to every subscriber, in order. Never throws: the first error of each subscriber is
 * logged, because one that fails may fail for every webhook.
 */
export function fanOut(subscribers: readonly TelemetrySubscriber[], log: Pick<Logger, 'error'>): Telemetry {
  const failed = new Set<TelemetrySubscriber>();

  function report(subscriber: TelemetrySubscriber, event: string, error: unknown): void {
    if (failed.has(subscriber)) return;
    failed.add(subscriber);
    log.error(
      { event, reason: failureReason(error) },
      'a telemetry subscriber failed: what it reports is incomplete, and its further errors are not logged',
    );
  }

  return {
    emit(name, fields) {
      for (const subscriber of subscribers) {
        try {
          subscriber(name, fields);
        } catch (error) {
          report(subscriber, name, error);
        }
      }
    },
  };
}
