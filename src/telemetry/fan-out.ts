import type { Telemetry, TelemetrySubscriber } from './telemetry.ts';

/** Reports to every subscriber, in order. */
export function fanOut(subscribers: readonly TelemetrySubscriber[]): Telemetry {
  return {
    emit(name, fields) {
      for (const subscriber of subscribers) subscriber(name, fields);
    },
  };
}
