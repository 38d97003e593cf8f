import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { createThrottle } from '../kernel/time/throttle.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import { closeLingering, discardBody, rejectUnreadable } from '../kernel/http/close-connection.ts';
import { PortariaError } from '../kernel/errors.ts';
import { KEEP_ALIVE, KEEP_ALIVE_MS } from '../kernel/http/keep-alive.ts';
import type { Logger } from '../kernel/logger.ts';
import { errorBody } from './answer.ts';
import { createConnections } from './connections.ts';
import type { DirectRoute } from './direct-route.ts';

export interface ListenOptions {
  readonly app: { readonly fetch: Parameters<typeof getRequestListener>[0] };
  /** Asked before the app. */
  readonly direct?: DirectRoute;
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

/** How often connections are looked at, in milliseconds: so much longer than said they may last. */
const LOOK_EVERY_MS = 1_000;
const HEADERS_TIMEOUT_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * Serves a Hono app over HTTP/1.1, with limits on all that a client can drag out.
 *
 * @throws PortariaError `misconfigured` when the address cannot be had.
 */
export async function listen({
  app,
  direct = () => false,
  host,
  port,
  clock,
  bodyTimeoutMs,
  log,
}: ListenOptions): Promise<Listener> {
  let closed: Promise<void> | undefined;
  // What is left of a body is ours to get rid of, at a bounded cost.
  const handle = getRequestListener(fetchOrClose, {
    errorHandler: answerUnreadable,
    autoCleanupIncoming: false,
  });
  const requestTimeout = HEADERS_TIMEOUT_MS + bodyTimeoutMs;
  const connections = createConnections(
    { idleMs: KEEP_ALIVE_MS, unreadMs: requestTimeout },
    {
      begin: answer,
      end(request) {
        discardBody(request, clock);
      },
    },
  );

  const server = createServer(
    {
      // Connections are let go below.
      keepAliveTimeout: 0,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout,
      connectionsCheckingInterval: LOOK_EVERY_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node would refuse such a request and hand on those behind it, whose answers nobody gets.
      requireHostHeader: false,
      // An answer must not wait for the acknowledgement of the one before it.
      noDelay: true,
    },
    (request, response) => {
      connections.admit(request, response);
    },
  );
  // A sender that sends no more still reads: what it has sent is answered before its connection ends.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  // Their bytes bound them: beyond a count Node would leave some out without a word.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => {
    // Node calls this after the last answer of a connection.
    socket.destroySoon = () => {
      closeLingering(socket, clock);
    };
    connections.add(socket);
  });
  server.on('clientError', (error, socket) => {
    connections.fail(socket as Socket, (isAnswering) => {
      rejectUnreadable(error, socket, isAnswering);
    });
  });
  // Without a listener Node closes the connection before the responses to what came first.
  server.on('connect', (_request, socket) => {
    connections.fail(socket as Socket, (isAnswering) => {
      rejectUnreadable(new Error('CONNECT'), socket, isAnswering);
    });
  });

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const doubt = doubtAbout(request);
    if (doubt === undefined) {
      if (direct(request, response)) return;
      if (response.shouldKeepAlive) response.setHeader('keep-alive', KEEP_ALIVE);
      void handle(request, response);
    } else {
      // Nothing behind it is believed either.
      connections.distrust(request.socket);
      refuse(response, doubt);
    }
  }

  /** What ends its connection does not say how long that stays. */
  async function fetchOrClose(
    ...[request, env]: Parameters<ListenOptions['app']['fetch']>
  ): Promise<unknown> {
    const answer = await app.fetch(request, env);
    if (answer instanceof Response && answer.headers.get('connection') === 'close')
      env.outgoing.removeHeader('keep-alive');
    return answer;
  }

  const unaccepted = createThrottle<Error>({
    clock,
    write: (error, times) => {
      log.error({ err: error, times }, 'a connection could not be accepted');
    },
  });

  let cancelLook: Cancel;
  function lookNow(): void {
    connections.cutUseless(clock.monotonic());
    cancelLook = clock.after(LOOK_EVERY_MS, lookNow);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(unavailable(error, host, port));
    });
    server.listen(port, host, resolve);
  });
  server.removeAllListeners('error').on('error', (error: NodeJS.ErrnoException) => {
    // Out of file descriptors, most likely: those that are open go on.
    unaccepted.add(error.code ?? error.name, error);
  });
  lookNow();

  return {
    port: (server.address() as AddressInfo).port,
    close(graceMs) {
      const cancelCut = clock.after(graceMs, () => {
        server.closeAllConnections();
      });
      closed ??= new Promise((resolve) => {
        server.close(() => {
          cancelLook();
          unaccepted.close();
          resolve();
        });
        connections.windDown();
      });
      return closed.finally(cancelCut);
    },
  };
}

/** Why two readers may not agree on where a request ends or whom it is for, or undefined. */
function doubtAbout(request: IncomingMessage): string | undefined {
  // Node reads headers and a body also behind a line of HTTP/0.9 or HTTP/2.0, which other readers do not.
  if (request.httpVersionMajor !== 1) return 'The request is neither HTTP/1.1 nor HTTP/1.0';
  const hosts = countHosts(request);
  if (hosts > 1) return 'The request names more than one host';
  return hosts === 0 && request.httpVersionMinor === 1 ? 'The request names no host' : undefined;
}

/** Names stand at the even places of the list. */
function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts;
}

function refuse(response: ServerResponse, message: string): void {
  const body = JSON.stringify(errorBody(400, message));
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(400, { ...headers, connection: 'close' }).end(body);
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
