import type { RawDelivery } from '../../src/event/delivery.ts';
import type { Receipt } from '../../src/event/receipt.ts';
import { listen, type Listener, type ListenOptions } from '../../src/receive/listen.ts';
import { createBodyRoom } from '../../src/receive/body-room.ts';
import { createDirectRoute } from '../../src/receive/direct-route.ts';
import { createReceiveApp } from '../../src/receive/receive-app.ts';
import type { ReceiveOptions } from '../../src/receive/receive-webhook.ts';
import type { TelemetryEvents } from '../../src/telemetry/telemetry.ts';
import { manualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { silentLogger } from './silent-logger.ts';

/** The public port on a real socket, with what lies behind it replaced. */
export interface ReceivingServer {
  readonly listener: Listener;
  readonly port: number;
  readonly clock: ManualClock;
  /** What was handed on, in order. */
  readonly taken: readonly RawDelivery[];
  readonly answered: readonly TelemetryEvents['webhook.answered'][];
  /** Without grace. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly maxBodyBytes?: number;
  /** Of the long bodies of all requests together; ample unless given. */
  readonly bodyRoomBytes?: number;
  /** By the manual clock; 400 unless given, which is less than the listener waits between its own looks. */
  readonly bodyTimeoutMs?: number;
  readonly receive?: (delivery: RawDelivery) => Promise<Receipt>;
  /** Whether plain requests pass by the app, as they do in the product; yes unless given. */
  readonly direct?: boolean;
  /** In place of Portaria's own. */
  readonly app?: ListenOptions['app'];
}

/** Takes everything, and answers `accepted` with the number of the delivery as its id. */
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
  // The server's own limits run by the machine's clock: out of the way here.
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
