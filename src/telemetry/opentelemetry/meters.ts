/** Reports telemetry events as metrics of OpenTelemetry, beside those of Prometheus. */
import type * as Api from '@opentelemetry/api';
import type { TelemetrySubscriber } from '../telemetry.ts';
import { attributes, attributesOf, metrics, SECONDS, SYSTEM } from './conventions.ts';

export interface Meters {
  readonly report: TelemetrySubscriber;
  /** Measures an attempt that ran, in milliseconds. Never throws. */
  readonly processed: (handler: string, durationMs: number, ended: Api.Attributes) => void;
}

/** Results that are an answer to the sender, and no message. */
const NO_MESSAGE: ReadonlySet<string> = new Set(['ping', 'handshake']);

/** A meter that was taken before its provider was registered measures nothing for ever: it is looked up at each use. */
export function createMeters(api: typeof Api, version: string): Meters {
  let provider: Api.MeterProvider | undefined;
  let made: ReturnType<typeof createInstruments> | undefined;

  function instruments(): ReturnType<typeof createInstruments> {
    const current = api.metrics.getMeterProvider();
    if (made === undefined || current !== provider) made = createInstruments(current, version);
    provider = current;
    return made;
  }

  return {
    report(name, fields) {
      if (name !== 'webhook.responded' || !('status' in fields && 'source' in fields)) return;
      const { source, status, result, durationMs } = fields;
      const about = { ...attributesOf('receive'), [attributes.source]: source };
      const failure = status >= 400 && { [attributes.error]: result };
      instruments().received.record(durationMs / 1000, { ...about, ...failure });
      if (status < 300 && !NO_MESSAGE.has(result)) instruments().consumed.add(1, about);
    },
    processed(handler, durationMs, ended) {
      try {
        const about = { ...attributesOf('process'), [attributes.handler]: handler };
        instruments().processed.record(durationMs / 1000, { ...about, ...ended });
      } catch {
        // What was done is done, measured or not.
      }
    },
  };
}

function createInstruments(provider: Api.MeterProvider, version: string) {
  const meter = provider.getMeter(SYSTEM, version);
  const seconds = { unit: 's', advice: { explicitBucketBoundaries: SECONDS } };
  const { received, consumed, processed } = metrics;
  return {
    received: meter.createHistogram(received.name, { ...received, ...seconds }),
    consumed: meter.createCounter(consumed.name, { ...consumed, unit: '{message}' }),
    processed: meter.createHistogram(processed.name, { ...processed, ...seconds }),
  };
}
