import type { Logger } from '../kernel/logger.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { failureReason } from '../kernel/failure-reason.ts';

/** Telemetry whose subscribers may throw without a delivery being the worse for it. */
export function guardedTelemetry(telemetry: Telemetry, log: Logger): Telemetry {
  return {
    emit(name, fields) {
      try {
        telemetry.emit(name, fields);
      } catch (error) {
        log.error({ event: name, reason: failureReason(error) }, 'A telemetry subscriber failed');
      }
    },
  };
}
