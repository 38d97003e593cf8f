import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Clock } from '../kernel/clock.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/logger.ts';
import { errorBody } from './answer.ts';

export interface ListenOptions {
  readonly app: { readonly fetch: Parameters<typeof getRequestListener>[0] };
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly clock: Clock;
  /** Milliseconds the app gives a body; the server's own limit lies beyond it. */
  readonly bodyTimeoutMs: number;
  readonly log: Logger;
}

export interface Listener {
  /** The one it got, where 0 was asked for. */
  readonly port: number;
  /**
   * Stops accepting, lets requests in flight end for up to `graceMs`
   * milliseconds, and cuts what is still open then. Resolves once all is closed.
   * Called again, it can only shorten the grace.
   */
  close(graceMs: number): Promise<void>;
}

/** Longer than the idle timeout of common proxies (60 s), or they would send into a closing connection. */
const KEEP_ALIVE_MS = 65_000;
const HEADERS_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Serves a Hono app over HTTP/1.1, with limits on all that a client can drag out.
 *
 * @throws PortariaError `misconfigured` when the address cannot be had.
 */
export async function listen({
  app,
  host,
  port,
  clock,
  bodyTimeoutMs,
  log,
}: ListenOptions): Promise<Listener> {
  const inFlight = new Set<ServerResponse>();
  const connections = new Set<Socket>();
  let closing = false;
  let closed: Promise<void> | undefined;
  const handle = getRequestListener(app.fetch, { errorHandler: answerUnreadable });

  const server = createServer(
    {
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: HEADERS_TIMEOUT_MS + bodyTimeoutMs,
      // How often the two above are looked at.
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: MAX_HEADER_BYTES,
      // An answer must not wait for the acknowledgement of the one before it.
      noDelay: true,
    },
    (request, response) => void handle(request, response),
  );
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.prependListener('request', (_request, response) => {
    inFlight.add(response);
    response.shouldKeepAlive &&= !closing;
    response.once('close', () => {
      inFlight.delete(response);
      // Its connection is idle only after this event.
      if (closing)
        setImmediate(() => {
          server.closeIdleConnections();
        });
    });
  });

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(unavailable(error, host, port));
    });
    server.listen(port, host, resolve);
  });
  server.removeAllListeners('error').on('error', (error) => {
    // Out of file descriptors, most likely: those that are open go on.
    log.error({ err: error }, 'a connection could not be accepted');
  });

  return {
    port: (server.address() as AddressInfo).port,
    close(graceMs) {
      closing = true;
      const cancelCut = clock.after(graceMs, () => {
        server.closeAllConnections();
      });
      closed ??= new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const response of inFlight) response.shouldKeepAlive = false;
        // Opened in advance and never used: to Node these are not idle.
        for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
      });
      return closed.finally(cancelCut);
    },
  };
}

/** Requests whose target or host is none: no app sees them. */
function answerUnreadable(error: unknown): Response {
  const status = error instanceof RequestError ? 400 : 500;
  const message = status === 400 ? 'The request has no valid address' : 'Something went wrong here';
  return Response.json(errorBody(status, message), { status });
}

function unavailable(error: NodeJS.ErrnoException, host: string, port: number): PortariaError {
  const place = `${host}, port ${String(port)}`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'is taken by another process; stop it, or listen on another port',
    EACCES: 'needs privileges that this process lacks; listen on a port from 1024 up',
    EADDRNOTAVAIL: 'is no address of this machine; listen on 127.0.0.1, 0.0.0.0 or one of its own',
    ENOTFOUND: 'is no known host; listen on an address of this machine',
  };
  const reason = reasons[error.code ?? ''] ?? `cannot be listened on: ${error.message}`;
  return new PortariaError('misconfigured', `${place} ${reason}`, { cause: error });
}
