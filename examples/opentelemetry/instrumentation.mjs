/** Registers an SDK that prints spans and metrics. Loaded before Portaria: `node --import ./instrumentation.mjs`. */
import { isMainThread } from 'node:worker_threads';
import { context, metrics, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  ConsoleMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { ConsoleSpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

// Node.js loads this file into each thread of Portaria, too. They have nothing to report.
if (isMainThread) {
  const spans = new SimpleSpanProcessor({ exporter: new ConsoleSpanExporter() });
  trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [spans] }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const reader = new PeriodicExportingMetricReader({
    exporter: new ConsoleMetricExporter(),
    exportIntervalMillis: Number(process.env.EXPORT_INTERVAL_MS ?? 60_000),
    exportTimeoutMillis: 1000,
  });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
}
