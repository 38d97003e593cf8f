/** Listens for HTTP requests. */
import { createServer, STATUS_CODES, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { type Cancel, type Clock, systemClock } from '../../src/kernel/time/clock.ts';
import { admitRequests } from '../../src/kernel/http/server/admit-requests.ts';
import { rejectUnreadable } from '../../src/kernel/http/server/close-connection.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { KEEP_ALIVE_MS } from '../../src/kernel/http/server/keep-alive.ts';

/** Limits against slow or greedy clients. */
export interface ListenLimits {
  /** Milliseconds that the headers of a request may take. */
  readonly headersMs: number;
  /** Milliseconds that a whole request may take. */
  readonly requestMs: number;
  /** Milliseconds between two checks for late requests. */
  readonly checkEveryMs: number;
  /** Maximum number of connections, streams included. Further ones are closed at once. */
  readonly maxConnections: number;
}

const LIMITS: ListenLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  checkEveryMs: 1_000,
  maxConnections: 4_096,
};

export interface ListenProviderOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<ListenLimits>;
}

export interface ProviderListener {
  /** The actual port. */
  readonly port: number;
  /** Stops accepting connections, closes idle ones, and waits for the responses in flight. */
  close(): Promise<void>;
}

/** Serves an app over HTTP. @throws PortariaError `misconfigured` when the address cannot be listened on. */
export async function listenProvider(
  app: Hono,
  host: string,
  port: number,
  { clock = systemClock, limits }: ListenProviderOptions = {},
): Promise<ProviderListener> {
  const { headersMs, requestMs, checkEveryMs, maxConnections } = { ...LIMITS, ...limits };
  // The library would discard the rest of a rejected body together with the connection.
  const listener = getRequestListener(app.fetch, { autoCleanupIncoming: false });
  /** Unfinished responses of each socket, in order: clients may pipeline. */
  const unfinished = new WeakMap<Duplex, ServerResponse[]>();
  /** Sockets that end after an error response, whatever follows. */
  const rejected = new WeakSet<Duplex>();
  let isClosing = false;
  const server = createServer({
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkEveryMs,
    requireHostHeader: false,
  });
  const connections = admitRequests(server, {
    timeouts: { idleMs: KEEP_ALIVE_MS, unreadMs: requestMs },
    clock,
    handle(request, response) {
      const responses = unfinished.get(request.socket) ?? [];
      unfinished.set(request.socket, responses);
      responses.push(response);
      // A busy keep-alive connection would never close.
      if (isClosing) response.shouldKeepAlive = false;
      response.once('close', () => {
        responses.splice(responses.indexOf(response), 1);
        if (isClosing) request.socket.end();
      });
      void listener(request, response);
    },
    reject({ socket }, response, { status, message }) {
      rejected.add(socket);
      const body = JSON.stringify({ error: STATUS_CODES[status], message });
      response.writeHead(status, {
        connection: 'close',
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    },
  });
  server.maxConnections = maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (rejected.has(socket)) return;
    // Only an incomplete request without a response gets an error response.
    const isResponding = unfinished.get(socket)?.some(({ headersSent, req }) => headersSent || req.complete);
    rejectUnreadable(error, socket, isResponding ?? false);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const address = `${host}, port ${String(port)}`;
      reject(new PortariaError('misconfigured', `cannot listen on ${address}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  let cancelCheck: Cancel;
  function checkTimeouts(): void {
    // Connections live in real time, whatever the provider's clock shows.
    connections.cutTimedOut(systemClock.monotonic());
    cancelCheck = systemClock.after(checkEveryMs, checkTimeouts);
  }
  checkTimeouts();
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        server.close(() => {
          cancelCheck();
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
