import type { RawDelivery } from '../../src/event/raw-delivery.ts';
import type { Receipt } from '../../src/event/receipt.ts';
import { listen, type Listener, type ListenOptions } from '../../src/receive/listen.ts';
import { createBodyRoom } from '../../src/receive/body-room.ts';
import { createDirectRoute } from '../../src/receive/direct-route.ts';
import { createReceiveApp } from '../../src/receive/receive-app.ts';
import type { ReceiveOptions } from '../../src/receive/receive-webhook.ts';
import type { TelemetryEvents } from '../../src/telemetry/telemetry.ts';
import { manualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { silentLogger } from './silent-logger.ts';

/** The public port on a real socket, with a fake pipeline behind it. */
export interface ReceivingServer {
  readonly listener: Listener;
  readonly port: number;
  readonly clock: ManualClock;
  /** The deliveries that reached the pipeline, in order. */
  readonly taken: readonly RawDelivery[];
  /** The `webhook.answered` telemetry events, in order. */
  readonly answered: readonly TelemetryEvents['webhook.answered'][];
  /** Stops the server without a grace period. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly maxBodyBytes?: number;
  /** The limit for the long bodies of all requests together. Default: 100 MB. */
  readonly bodyRoomBytes?: number;
  /** By the manual clock. Default: 400, which is shorter than the listener's poll interval. */
  readonly bodyTimeoutMs?: number;
  readonly receive?: (delivery: RawDelivery) => Promise<Receipt>;
  /** Whether plain requests bypass the app, as in the product. Default: true. */
  readonly direct?: boolean;
  /** Replaces Portaria's own app. */
  readonly app?: ListenOptions['app'];
}

/** Starts a server that accepts everything. The id in a response is the number of the delivery. */
export async function startReceiving(options: ServerOptions = {}): Promise<ReceivingServer> {
  const clock = manualClock();
  const taken: RawDelivery[] = [];
  const answered: TelemetryEvents['webhook.answered'][] = [];
  const { bodyTimeoutMs = 400, maxBodyBytes = 1_000 } = options;
  const receiving: ReceiveOptions = {
    receive: (delivery) => {
      taken.push(delivery);
      const accepted = {
        status: 'accepted',
        id: `t-${String(taken.length)}`,
        kind: 'a.b',
        flags: [],
      } as const;
      return options.receive?.(delivery) ?? Promise.resolve(accepted);
    },
    sources: new Set(['default']),
    maxBodyBytes,
    bodyTimeoutMs,
    bodyRoom: createBodyRoom(options.bodyRoomBytes ?? 100_000_000),
    onInvalid: 'reject',
    clock,
    telemetry: {
      emit: (name, fields) => {
        if (name === 'webhook.answered') answered.push(fields as TelemetryEvents['webhook.answered']);
      },
    },
    log: silentLogger,
    stopping: () => false,
  };
  // The server's own timeouts use the real clock, so they are set out of reach.
  const listener = await listen({
    app: options.app ?? createReceiveApp(receiving),
    ...(options.direct === false ? {} : { direct: createDirectRoute(receiving) }),
    host: '127.0.0.1',
    port: 0,
    clock,
    bodyTimeoutMs: 60_000,
    log: silentLogger,
  });
  return {
    listener,
    port: listener.port,
    clock,
    taken,
    answered,
    stop() {
      const closed = listener.close(0);
      clock.advance(0);
      return closed;
    },
  };
}
