import type { RawDelivery } from '../../src/event/delivery.ts';
import type { Receipt } from '../../src/event/receipt.ts';
import { serveFetchApp, type FetchApp } from '../../src/kernel/http/server/fetch-listener.ts';
import { listen, type Listener, type ListenOptions } from '../../src/kernel/http/server/listen.ts';
import {
  createPublicPort,
  servePublicPort,
  createReceiveApp,
  type PublicPortOptions,
} from '../../src/receive/public-port.ts';
import { createBodyMemory } from '../../src/receive/read-body.ts';
import type { TelemetryEvents } from '../../src/telemetry/telemetry.ts';
import { manualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { silentLogger } from './silent-logger.ts';

/** Listens on any free port of this machine, unless the options name an address. */
export function listenLocally(
  options: Pick<ListenOptions, 'handle' | 'clock' | 'log'> & Partial<ListenOptions>,
): Promise<Listener> {
  return listen({
    host: '127.0.0.1',
    port: 0,
    settings: { host: 'PORTARIA_HOST', port: 'PORTARIA_PORT' },
    bodyTimeoutMs: 1_000,
    ...options,
  });
}

/** A public port on a real socket, with a fake pipeline behind it. */
export interface ReceivingServer {
  readonly listener: Listener;
  readonly port: number;
  readonly clock: ManualClock;
  /** Deliveries passed to the pipeline, in order. */
  readonly received: readonly RawDelivery[];
  readonly responses: readonly TelemetryEvents['webhook.responded'][];
  /** Closes at once, without grace. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly maxBodyBytes?: number;
  /** Memory for the long bodies of all requests; ample by default. */
  readonly bodyMemoryBytes?: number;
  /** By the manual clock; 400 by default, which is less than the listener waits between its own checks. */
  readonly bodyTimeoutMs?: number;
  readonly receive?: (delivery: RawDelivery) => Promise<Receipt>;
  /** Whether requests come through the Hono app, as in an application that embeds it. */
  readonly embedded?: boolean;
  /** Replaces the public port. */
  readonly app?: FetchApp;
}

/** Starts a public port that accepts every webhook and responds with the number of the delivery as its id. */
export async function startReceiving(options: ServerOptions = {}): Promise<ReceivingServer> {
  const clock = manualClock();
  const received: RawDelivery[] = [];
  const responses: TelemetryEvents['webhook.responded'][] = [];
  const { bodyTimeoutMs = 400, maxBodyBytes = 1_000 } = options;
  const portOptions: PublicPortOptions = {
    receive: (delivery) => {
      received.push(delivery);
      const accepted = {
        status: 'accepted',
        id: `t-${String(received.length)}`,
        kind: 'a.b',
        flags: [],
      } as const;
      return options.receive?.(delivery) ?? Promise.resolve(accepted);
    },
    sources: new Set(['default']),
    maxBodyBytes,
    bodyTimeoutMs,
    bodyMemory: createBodyMemory(options.bodyMemoryBytes ?? 100_000_000),
    onInvalid: 'reject',
    clock,
    telemetry: {
      emit: (name, fields) => {
        if (name === 'webhook.responded') responses.push(fields as TelemetryEvents['webhook.responded']);
      },
    },
    log: silentLogger,
    stopping: () => false,
    healthy: () => true,
  };
  const publicPort = createPublicPort(portOptions);
  const app = options.embedded === true ? createReceiveApp(publicPort) : options.app;
  const listener = await listenLocally({
    handle: app === undefined ? servePublicPort(publicPort, silentLogger) : serveFetchApp(app),
    clock,
    // The server's own timeouts use the system clock; they must not interfere.
    bodyTimeoutMs: 60_000,
    log: silentLogger,
  });
  return {
    listener,
    port: listener.port,
    clock,
    received,
    responses,
    stop() {
      const closed = listener.close(0);
      clock.advance(0);
      return closed;
    },
  };
}
