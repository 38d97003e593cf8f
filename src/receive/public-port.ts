/** The public port: its routes, and the app that listens. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../kernel/logger.ts';
import { PortariaError } from '../kernel/errors.ts';
import {
  createReceiveWebhook,
  repeatedOf,
  type IncomingWebhook,
  type ReceiveOptions,
} from './receive-webhook.ts';
import { errorResponse, sendResponse, type HttpResponse } from '../kernel/http/server/json-response.ts';
import { Readable } from 'node:stream';
import { Hono, type Context } from 'hono';

export interface PublicPortOptions extends ReceiveOptions {
  /** Whether webhooks can be stored, as far as known. */
  readonly healthy: () => boolean;
  readonly log: Logger;
}

/** A request, whatever server it came through. */
export interface PublicRequest extends Omit<IncomingWebhook, 'source'> {
  /** Percent-decoded, without a query. */
  readonly path: string;
}

/** Responds to any request of the public port. It never rejects. */
export type PublicPort = (request: PublicRequest) => Promise<HttpResponse>;

/** Path of a webhook, with the name of its source. */
const WEBHOOKS = /^\/webhooks(?:\/([^/]+))?\/?$/;

/** The only route into the receiver, also with a slash at the end: `POST /webhooks`, `POST /webhooks/<source>`, `GET /healthz`, or an error. */
export function createPublicPort(options: PublicPortOptions): PublicPort {
  const receiveWebhook = createReceiveWebhook(options);
  return async ({ path, ...webhook }) => {
    const { method } = webhook;
    try {
      const [isWebhook, source = 'default'] = WEBHOOKS.exec(path) ?? below(path, options);
      if (isWebhook !== undefined) {
        const takesGet = options.answers?.get(source)?.takesGet === true;
        if (method !== 'POST' && !(takesGet && isReading(method)))
          return methodNotAllowed(method, path, takesGet ? 'GET, HEAD, POST' : 'POST');
        return await receiveWebhook({ source, ...webhook });
      }
      if (path !== '/healthz') return unknownPath(method, path, options);
      if (!isReading(method)) return methodNotAllowed(method, path, 'GET, HEAD');
      return health(options);
    } catch (error) {
      options.log.error({ err: error }, 'a request failed');
      return errorResponse(500, 'Internal error');
    }
  };
}

/** The path of a webhook below that of a source which takes such. */
function below(path: string, { answers }: PublicPortOptions): readonly string[] {
  const found = answers === undefined ? null : /^\/webhooks\/([^/]+)\/./.exec(path);
  return found !== null && answers?.get(found[1] ?? '')?.subpaths === true ? found : [];
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function methodNotAllowed(method: string, path: string, allow: string): HttpResponse {
  return errorResponse(405, `${path} takes ${allow}, not ${method}`, { allow });
}

/** A sender with a mistyped address must not be silence: it is counted and logged as a webhook. */
function unknownPath(method: string, path: string, { telemetry }: PublicPortOptions): HttpResponse {
  const nothing = { kind: null, id: null, bytes: 0, durationMs: 0 };
  telemetry.emit('webhook.responded', {
    ...nothing,
    ...{ source: 'unknown', status: 404, result: 'unknown-path', path, method },
  });
  return errorResponse(404, 'No such path; send webhooks to /webhooks');
}

function health({ stopping, healthy }: PublicPortOptions): HttpResponse {
  if (stopping()) return errorResponse(503, 'Shutting down');
  if (!healthy()) return errorResponse(503, 'Webhooks cannot be stored');
  return { status: 200, body: { status: 'ok' }, headers: {} };
}

/** Serves the public port with Node's HTTP server, without a framework in between. */
export function servePublicPort(
  respond: PublicPort,
  log: Logger,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const path = pathOf(request);
    if (path === null) {
      sendResponse(response, errorResponse(400, 'The request has no valid address'));
      return;
    }
    respond({
      method: request.method ?? '',
      path,
      target: request.url ?? '',
      host: request.headers.host,
      headers: stringHeaders(request),
      repeatedHeaders: repeatedHeaders(request),
      body: request,
    })
      .then((result) => {
        sendResponse(response, result);
      })
      .catch((error: unknown) => {
        log.error({ err: error }, 'a response could not be sent');
        response.destroy();
      });
  };
}

/** Nothing to decode and no query: `URL` would return it unchanged. */
const PLAIN_TARGET = /^\/[a-z0-9/-]*$/;
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:\d{1,4}|[1-5]\d{4}))?$/i;

/**
 * The decoded path of a request; null when its target or host is not valid (RFC 9112, sections 3.2 and 3.3).
 * A request of HTTP/1.0 may have no host.
 */
function pathOf({ url = '', headers: { host = 'localhost' } }: IncomingMessage): string | null {
  const isAbsolute = /^https?:\/\//.test(url);
  if (!isAbsolute && !(url.startsWith('/') && (PLAIN_HOST.test(host) || isValidHost(host)))) return null;
  if (PLAIN_TARGET.test(url)) return url;
  // `URL` turns a backslash into a slash, which other readers of the same path do not.
  if (/^[^?]*\\/.test(url)) return null;
  const path = URL.parse(isAbsolute ? url : `http://localhost${url}`)?.pathname ?? null;
  try {
    return path === null ? null : decodeURI(path);
  } catch {
    return path;
  }
}

/** Whether a Host header contains a host and port, and nothing else, such as a path. */
function isValidHost(host: string): boolean {
  return URL.parse(`http://${host}`)?.hostname === host.replace(/:\d+$/, '').toLowerCase();
}

/** `incoming` is there when `@hono/node-server` serves the app. */
export interface ReceiveAppEnv {
  readonly Bindings: { readonly incoming?: IncomingMessage };
}

/** @param answers the sources that answer in ways of their own */
export function createReceiveApp(
  respond: PublicPort,
  answers: PublicPortOptions['answers'] = new Map(),
): Hono<ReceiveAppEnv> {
  const app = new Hono<ReceiveAppEnv>();
  // Under a prefix, `notFound` is that of the application around it.
  for (const end of ['', '/']) {
    app.all(`/webhooks${end}`, (context) => adapt(context, '/webhooks'));
    app.all(`/webhooks/:source${end}`, (context) =>
      adapt(context, `/webhooks/${context.req.param('source')}`),
    );
  }
  for (const [source, { subpaths }] of answers)
    if (subpaths) app.all(`/webhooks/${source}/*`, (context) => adapt(context, `/webhooks/${source}/*`));
  app.all('/healthz', (context) => adapt(context, '/healthz'));
  app.notFound((context) => adapt(context, context.req.path));

  /** `path` leaves out the prefix under which the app is mounted. */
  async function adapt(context: Context<ReceiveAppEnv>, path: string): Promise<Response> {
    const { raw, method } = context.req;
    // Without a server, Hono passes no environment, whatever its type says.
    const incoming: Incoming | undefined = (context.env as ReceiveAppEnv['Bindings'] | undefined)?.incoming;
    const { status, body, headers } = await respond({
      method,
      path,
      target: incoming?.originalUrl ?? incoming?.url ?? raw.url.replace(/^\w+:\/\/[^/]*/, ''),
      host:
        incoming === undefined ? (raw.headers.get('host') ?? new URL(raw.url).host) : incoming.headers.host,
      headers: incoming === undefined ? Object.fromEntries(raw.headers) : stringHeaders(incoming),
      // A web `Request` joins repeated headers, so they cannot be distinguished.
      repeatedHeaders: incoming === undefined ? [] : repeatedHeaders(incoming),
      body: incoming?.readableFlowing === null ? incoming : Readable.from(sentBytes(context, incoming)),
    });
    return typeof body === 'string' || body === null
      ? new Response(body, { status, headers })
      : Response.json(body, { status, headers });
  }
  return app;
}

type Incoming = IncomingMessage & {
  /** What Express keeps of the address when it cuts a prefix off. */
  readonly originalUrl?: string;
  /** What a parser of Express has made of the body: the bytes, for express.raw(). */
  readonly body?: unknown;
};

/** What a decoder of text writes for bytes that are not UTF-8, as UTF-8. */
const REPLACEMENT = '\u{fffd}';

/** The bytes of a body that something may have read before: what it left of the stream, or has kept. */
async function* sentBytes({ req }: Context, incoming: Incoming | undefined): AsyncGenerator<Uint8Array> {
  const isRead = req.raw.bodyUsed || incoming?.readableDidRead === true;
  // Text that was decoded has lost bytes that are not UTF-8.
  const isDecoded = Object.keys(req.bodyCache).some((form) => form === 'text' || form === 'json');
  let [bytes, isWhole] = [0, true];
  for await (const chunk of keptBytes(req, incoming)) {
    bytes += chunk.length;
    isWhole &&= !isDecoded || !Buffer.from(chunk).includes(REPLACEMENT);
    yield chunk;
  }
  const length = req.header('content-length');
  const hasLost = length === undefined ? !isWhole : Number(length) !== bytes;
  if (bytes === 0 ? isRead && length !== '0' : hasLost)
    throw new PortariaError(
      'misconfigured',
      'The body was read before Portaria, which verifies its bytes: mount Portaria before what parses bodies, such as express.json(), or keep the bytes as request.rawBody',
    );
}

async function* keptBytes(req: Context['req'], incoming: Incoming | undefined): AsyncGenerator<Uint8Array> {
  if (incoming?.body instanceof Uint8Array) yield incoming.body;
  // The body that `c.req.text()` and the like have read.
  else if (Object.keys(req.bodyCache).length > 0) yield new Uint8Array(await req.arrayBuffer());
  else if (!req.raw.bodyUsed) yield* req.raw.body ?? [];
}

/** The request's headers by lower-case name. Node lists only `set-cookie`, which no request carries. */
function stringHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  if (headers['set-cookie'] === undefined) return headers as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(headers).filter(isString));
}

/**
 * Lower-case names of the headers that were sent more than once. Node's `headers`
 * joins or drops repeats, depending on the name; only `rawHeaders` shows them.
 */
function repeatedHeaders({ headers, rawHeaders }: IncomingMessage): readonly string[] {
  let names = 0;
  for (const name in headers) if (headers[name] !== undefined) names += 1;
  if (names * 2 === rawHeaders.length) return [];
  return repeatedOf(rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
}

function isString(entry: readonly [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}
