import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Clock } from '../../src/kernel/time/clock.ts';
import { discardRest } from '../../src/kernel/http/discard-rest.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { KEEP_ALIVE_MS } from '../../src/kernel/http/keep-alive.ts';
import { systemClock } from '../../src/kernel/time/system-clock.ts';
import { refuseUnreadable } from '../../src/kernel/http/unreadable-request.ts';

/** What one client may hold on to. */
export interface ListenLimits {
  /** Milliseconds from the start of a connection or request until its head is whole. */
  readonly headersMs: number;
  /** Milliseconds until its body is, too. */
  readonly requestMs: number;
  /** Milliseconds between two looks for those that are late. */
  readonly lookEveryMs: number;
  /** Connections at a time, streams included; more are closed at once. */
  readonly maxConnections: number;
}

const LIMITS: ListenLimits = {
  headersMs: 10_000,
  requestMs: 30_000,
  lookEveryMs: 1_000,
  maxConnections: 4_096,
};

export interface ListenProviderOptions {
  readonly clock?: Clock;
  readonly limits?: Partial<ListenLimits>;
}

export interface ProviderListener {
  /** The one it got, where 0 was asked for. */
  readonly port: number;
  /** Stops accepting, ends idle connections, and resolves when the requests in flight are answered. */
  close(): Promise<void>;
}

/** @throws PortariaError `misconfigured` when the address cannot be had. */
export async function listenProvider(
  app: Hono,
  host: string,
  port: number,
  { clock = systemClock, limits }: ListenProviderOptions = {},
): Promise<ProviderListener> {
  const { headersMs, requestMs, lookEveryMs, maxConnections } = { ...LIMITS, ...limits };
  // The library's own way to be rid of a refused body loses the connection, and the next request with it.
  const listener = getRequestListener(app.fetch, { autoCleanupIncoming: false });
  /** Responses of each socket that are not finished, in order: clients may pipeline. */
  const unfinished = new WeakMap<Duplex, ServerResponse[]>();
  let isClosing = false;
  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: headersMs,
      requestTimeout: requestMs,
      connectionsCheckingInterval: lookEveryMs,
    },
    (request, response) => {
      const responses = unfinished.get(request.socket) ?? [];
      unfinished.set(request.socket, responses);
      responses.push(response);
      // Whoever asks again and again on a connection of old would keep it from closing.
      if (isClosing) response.shouldKeepAlive = false;
      response.once('close', () => {
        responses.splice(responses.indexOf(response), 1);
        discardRest(request, clock);
        if (isClosing) request.socket.end();
      });
      void listener(request, response);
    },
  );
  server.maxConnections = maxConnections;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A request that did not arrive whole, and whose response has not begun, is the one that is refused.
    const isAnswering = unfinished.get(socket)?.some(({ headersSent, req }) => headersSent || req.complete);
    refuseUnreadable(error, socket, isAnswering ?? false);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const place = `${host}, port ${String(port)}`;
      reject(new PortariaError('misconfigured', `${place} cannot be listened on`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        isClosing = true;
        server.close(() => {
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}
