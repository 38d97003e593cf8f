/** Finds the OpenTelemetry of the application, if it has any. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Api from '@opentelemetry/api';
import { packageRoot } from '../../kernel/files/package-files.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { TelemetrySubscriber } from '../telemetry.ts';
import type { FindTracing, Tracing } from '../tracing.ts';
import { createMeters } from './meters.ts';
import { createTracing } from './spans.ts';

/** Where every copy of version 1 of the API registers what an SDK gives it. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

interface Registered {
  readonly trace?: unknown;
  readonly metrics?: unknown;
}

export interface OpenTelemetry {
  /** Looks for an SDK. Without one it loads nothing, although a copy of the API may be installed. */
  readonly find: () => void;
  readonly tracing: FindTracing;
  readonly report: TelemetrySubscriber;
}

/**
 * @param folders the application's, whose copy of the API is used. An older SDK does not show itself to a newer copy,
 *   such as may be installed beside Portaria.
 */
export function createOpenTelemetry(
  folders: readonly string[],
  { version, log }: { readonly version: string; readonly log: Logger },
): OpenTelemetry {
  let found: { readonly tracing: Tracing; readonly report: TelemetrySubscriber } | undefined;
  return {
    find() {
      const { [REGISTERED]: registered = {} } = globalThis as { readonly [REGISTERED]?: Registered };
      if (found !== undefined || (registered.trace ?? registered.metrics) === undefined) return;
      const api = [...folders, packageRoot()]
        .map(loadApi)
        .find((copy) => copy !== undefined && sees(copy, registered));
      if (api === undefined) {
        log.warn(
          {},
          'OpenTelemetry is registered, but no copy of @opentelemetry/api fits: install the one that the SDK uses where the process starts, or beside the handlers',
        );
        return;
      }
      const { report, processed } = createMeters(api, version);
      found = { tracing: createTracing(api, version, processed), report };
      log.info({}, 'spans and metrics go to OpenTelemetry');
    },
    tracing: () => found?.tracing,
    report: (name, fields) => {
      found?.report(name, fields);
    },
  };
}

function loadApi(folder: string): typeof Api | undefined {
  try {
    return createRequire(join(folder, 'package.json'))('@opentelemetry/api') as typeof Api;
  } catch {
    return undefined;
  }
}

function sees({ trace, metrics }: typeof Api, registered: Registered): boolean {
  return registered.trace === trace.getTracerProvider() || registered.metrics === metrics.getMeterProvider();
}
