/** An application with OpenTelemetry, which embeds Portaria. */
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace';
import { onTestFinished } from 'vitest';
import { createPortaria, type Portaria, type PortariaOptions } from '../../../src/compose.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { SECRET, signatureHeaders } from '../../support/signing.ts';

/** Registers an SDK until the end of the test, and returns what it exports. */
export function registerSdk(...processors: readonly SpanProcessor[]) {
  const spans = new InMemorySpanExporter();
  const spanProcessors = [...processors, new SimpleSpanProcessor({ exporter: spans })];
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  onTestFinished(() => {
    for (const api of [trace, context, metrics]) api.disable();
  });
  return {
    spans: (name: string): readonly ReadableSpan[] =>
      spans.getFinishedSpans().filter((span) => span.name === name),
    names: () => spans.getFinishedSpans().map(({ name }) => name),
    /** The points of a metric: their attributes, and a count or a histogram. */
    async points(name: string) {
      await reader.forceFlush();
      const found =
        exporter
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
      return found
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }) => dataPoints as readonly { attributes: object; value: unknown }[]);
    },
  };
}

/** Starts a Portaria whose default source verifies signatures. It stops at the end of the test. */
export async function startPortaria(
  options: Omit<PortariaOptions, 'config'>,
  { settings = {}, source = {} }: { settings?: Readonly<Record<string, string>>; source?: object } = {},
): Promise<Portaria> {
  const env = {
    PORTARIA_DATABASE: ':memory:',
    PORTARIA_LOG_LEVEL: 'silent',
    PORTARIA_VERIFY: 'hmac',
    PORTARIA_SECRETS: SECRET,
    PORTARIA_SOURCES: JSON.stringify({ default: source }),
    ...settings,
  };
  const portaria = await createPortaria({ config: loadConfig(env, '/'), ...options });
  onTestFinished(() => portaria.stop());
  await portaria.dispatcher.start();
  return portaria;
}

/** Posts a charge, signed, and waits until nothing of it is left to do. Returns the status of the response. */
export async function post(
  portaria: Portaria,
  { data = {}, headers = {} }: { data?: object; headers?: Readonly<Record<string, string>> } = {},
): Promise<number> {
  const charge = { id: 99, type: 'fee', status: 'paid', ...data };
  const body = JSON.stringify({ type: 'charge.updated', data: charge });
  const { status } = await portaria.app.request('/webhooks', {
    method: 'POST',
    body,
    headers: { ...signatureHeaders('hmac', body), ...headers },
  });
  await portaria.dispatcher.idle();
  return status;
}
