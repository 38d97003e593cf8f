/** Reports telemetry events as metrics of OpenTelemetry, beside those of Prometheus. */
import type * as Api from '@opentelemetry/api';
import type { DeliveryFields, TelemetryEvents, TelemetryName, TelemetrySubscriber } from '../telemetry.ts';
import { attributes, attributesOf, metrics, SECONDS, SYSTEM } from './conventions.ts';

type Reports = { readonly [N in TelemetryName]?: (fields: TelemetryEvents[N]) => void };

/** Results that are an answer to the sender, and no message. */
const NO_MESSAGE: ReadonlySet<string> = new Set(['ping', 'handshake']);

/** A meter that was taken before its provider was registered measures nothing for ever: it is looked up at each use. */
export function createMeters(api: typeof Api, version: string): TelemetrySubscriber {
  let provider: Api.MeterProvider | undefined;
  let made: ReturnType<typeof createInstruments> | undefined;

  function instruments(): ReturnType<typeof createInstruments> {
    const current = api.metrics.getMeterProvider();
    if (made === undefined || current !== provider) made = createInstruments(current, version);
    provider = current;
    return made;
  }

  const ended =
    (result: string, isFailure = false) =>
    ({ handler, durationMs }: DeliveryFields & { readonly durationMs: number }): void => {
      instruments().processed.record(durationMs / 1000, {
        ...attributesOf('process'),
        [attributes.handler]: handler,
        [attributes.result]: result,
        ...(isFailure && { [attributes.error]: result }),
      });
    };

  const reports: Reports = {
    'webhook.responded'({ source, status, result, durationMs }) {
      const about = { ...attributesOf('receive'), [attributes.source]: source };
      const failure = status >= 400 && { [attributes.error]: result };
      instruments().received.record(durationMs / 1000, { ...about, ...failure });
      if (status < 300 && !NO_MESSAGE.has(result)) instruments().consumed.add(1, about);
    },
    'delivery.succeeded': ended('succeeded'),
    'delivery.skipped': ended('skipped'),
    'delivery.retrying': ended('retry', true),
    'delivery.dead': ended('dead', true),
  };
  return (name, fields) => {
    reports[name]?.(fields);
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
