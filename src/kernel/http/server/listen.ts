/** Listens for HTTP requests, with limits on slow and hostile clients. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createThrottle } from '../../time/throttle.ts';
import type { Cancel, Clock } from '../../time/clock.ts';
import { admitRequests } from './admit-requests.ts';
import { rejectUnreadable } from './close-connection.ts';
import { PortariaError } from '../../errors.ts';
import { KEEP_ALIVE_MS } from './keep-alive.ts';
import type { Logger } from '../../logger.ts';
import type { HeadError } from './head-error.ts';
import { errorResponse, sendResponse } from './json-response.ts';

export interface ListenOptions {
  /** Responds to a request. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The settings with the address, for errors. */
  readonly settings: { readonly host: string; readonly port: string };
  readonly clock: Clock;
  /** Milliseconds that `handle` gives a body to arrive; the server's own limit is longer. */
  readonly bodyTimeoutMs: number;
  readonly log: Logger;
}

export interface Listener {
  /** The port in use, also where 0 was given. */
  readonly port: number;
  /**
   * Stops accepting connections, lets requests in flight end for up to `graceMs` milliseconds, and cuts what
   * is open after that. Resolves once all connections are closed. A second call can only shorten the grace.
   */
  close(graceMs: number): Promise<void>;
}

/** How often connections are checked for timeouts, in milliseconds. They may exceed them by as much. */
const CHECK_EVERY_MS = 1_000;
const HEADERS_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Listens for HTTP/1.1 requests, with a limit on everything that a client can drag out.
 *
 * @throws PortariaError `misconfigured` when the address is not available
 */
export async function listen({
  handle,
  host,
  port,
  settings,
  clock,
  bodyTimeoutMs,
  log,
}: ListenOptions): Promise<Listener> {
  let closed: Promise<void> | undefined;
  const requestTimeout = HEADERS_TIMEOUT_MS + bodyTimeoutMs;
  const server = createServer({
    // `connections` cuts idle connections.
    keepAliveTimeout: 0,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout,
    connectionsCheckingInterval: CHECK_EVERY_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node would reject such a request, but still pass on those behind it, whose responses are lost.
    requireHostHeader: false,
    // A response must not wait until the client acknowledges the one before it.
    noDelay: true,
  });
  const connections = admitRequests(server, {
    timeouts: { idleMs: KEEP_ALIVE_MS, unreadMs: requestTimeout },
    clock,
    handle,
    reject(request, response, error) {
      rejections.add(String(error.status), { ...error, address: request.socket.remoteAddress });
      sendResponse(response, errorResponse(error.status, error.message, { connection: 'close' }));
    },
  });
  // A client that has ended its side still reads: it gets all its responses before the connection ends.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  server.on('clientError', (error, socket) => {
    failConnection(socket as Socket, error);
  });
  // Without this listener Node closes the connection before the responses to earlier requests.
  server.on('connect', (_request, socket) => {
    failConnection(socket as Socket, new Error('CONNECT'));
  });

  function failConnection(socket: Socket, error: Error): void {
    connections.fail(socket, (isResponding) => {
      rejectUnreadable(error, socket, isResponding);
    });
  }

  const rejections = createThrottle<HeadError & { readonly address: string | undefined }>({
    clock,
    write: ({ status, message, address }, times) => {
      log.warn({ status, address, times }, `a request was rejected: ${message}`);
    },
  });
  const acceptErrors = createThrottle<Error>({
    clock,
    write: (error, times) => {
      log.error({ err: error, times }, 'a connection could not be accepted');
    },
  });

  let cancelCheck: Cancel;
  function checkTimeouts(): void {
    connections.cutTimedOut(clock.monotonic());
    cancelCheck = clock.after(CHECK_EVERY_MS, checkTimeouts);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(addressError(error, { host, port, settings }));
    });
    server.listen(port, host, resolve);
  });
  server.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
    // Most likely no file descriptor is left; open connections go on.
    acceptErrors.add(error.code ?? error.name, error);
  });
  checkTimeouts();

  return {
    port: (server.address() as AddressInfo).port,
    close(graceMs) {
      const cancelCut = clock.after(graceMs, () => {
        server.closeAllConnections();
      });
      closed ??= new Promise((resolve) => {
        server.close(() => {
          cancelCheck();
          acceptErrors.close();
          rejections.close();
          resolve();
        });
        connections.windDown();
      });
      return closed.finally(cancelCut);
    },
  };
}

function addressError(
  error: NodeJS.ErrnoException,
  { host, port, settings }: Pick<ListenOptions, 'host' | 'port' | 'settings'>,
): PortariaError {
  const address = `${host}, port ${String(port)}`;
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: `is in use by another process; stop it, or set ${settings.port} to another port`,
    EACCES: `needs privileges that this process lacks; set ${settings.port} to a port from 1024 up`,
    EADDRNOTAVAIL: `is not an address of this machine; set ${settings.host} to 127.0.0.1, 0.0.0.0 or one of its own`,
    ENOTFOUND: `is an unknown host; set ${settings.host} to an address of this machine`,
  };
  const reason =
    reasons[error.code ?? ''] ??
    `cannot be listened on: ${error.message}; change ${settings.host} or ${settings.port}`;
  return new PortariaError('misconfigured', `${address} ${reason}`, { cause: error });
}
