import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'hono';

/** What the Node adapter binds; nothing where the app is called without a server. */
export interface WireEnv {
  readonly Bindings: { readonly incoming?: IncomingMessage };
}

/**
 * The body as it comes in. Straight from the socket where there is one: the
 * web stream that wraps it costs several times as much, and hides a truncated
 * body behind a generic error.
 */
export function bodyStream(context: Context<WireEnv>): Readable {
  const incoming = incomingOf(context);
  if (incoming !== undefined) return incoming;
  const { body } = context.req.raw;
  return body === null ? Readable.from([]) : Readable.fromWeb(body);
}

/** All headers by their name in lower case; one sent twice is joined by a comma. */
export function headerRecord(context: Context<WireEnv>): Readonly<Record<string, string>> {
  const incoming = incomingOf(context);
  return incoming === undefined ? Object.fromEntries(context.req.raw.headers) : textHeaders(incoming);
}

/** The same of a request as Node has it. Only `set-cookie`, which no request carries, comes as a list. */
export function textHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  if (headers['set-cookie'] === undefined) return headers as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(headers).filter(isText));
}

/**
 * Names of the headers that were sent more than once. Node's own record joins or drops them, depending on the
 * name; only a web request, of which there is no more to see, has them all joined.
 */
export function repeatedHeaders(request: IncomingMessage | undefined): readonly string[] {
  if (request === undefined) return NONE;
  const { headers, rawHeaders } = request;
  let names = 0;
  for (const name in headers) if (headers[name] !== undefined) names += 1;
  return names * 2 === rawHeaders.length ? NONE : namesTwice(rawHeaders);
}

const NONE: readonly string[] = [];

/** Names stand at the even places of the list. */
function namesTwice(rawHeaders: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase();
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  return [...twice];
}

function isText(entry: readonly [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

export function incomingOf(context: Context<WireEnv>): IncomingMessage | undefined {
  // Called without an environment, Hono leaves none, whatever the type says.
  return (context.env as WireEnv['Bindings'] | undefined)?.incoming;
}
