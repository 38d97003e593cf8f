import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Clock } from '../../kernel/clock.ts';
import { discardRest } from '../../kernel/discard-rest.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { KEEP_ALIVE_MS } from '../../kernel/keep-alive.ts';
import { systemClock } from '../../kernel/system-clock.ts';

export interface ServiceListener {
  /** The one it got, where 0 was asked for. */
  readonly port: number;
  /** Stops accepting, ends idle connections, and resolves when the requests in flight are answered. */
  close(): Promise<void>;
}

/** @throws PortariaError `misconfigured` when the address cannot be had. */
export async function listenService(
  app: Hono,
  host: string,
  port: number,
  clock: Clock = systemClock,
): Promise<ServiceListener> {
  // The library's own way to be rid of a refused body loses the connection, and the next request with it.
  const listener = getRequestListener(app.fetch, { autoCleanupIncoming: false });
  let isClosing = false;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    // Whoever asks again and again on a connection of old would keep it from closing.
    if (isClosing) response.shouldKeepAlive = false;
    response.once('close', () => {
      discardRest(request, clock);
      if (isClosing) request.socket.end();
    });
    void listener(request, response);
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
