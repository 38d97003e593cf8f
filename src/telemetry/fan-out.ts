import type { Telemetry, TelemetrySubscriber } from './telemetry.ts';

/** Emits each telemetry event to every subscriber, in order. */
export function fanOut(subscribers: readonly TelemetrySubscriber[]): Telemetry {
  return {
    emit(name, fields) {
      for (const subscriber of subscribers) subscriber(name, fields);
    },
  };
}
