/** The public port as a Hono app, for embedding. It adapts requests and responses and has no rules of its own. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Hono, type Context } from 'hono';
import type { PublicPort } from './public-port.ts';
import { repeatedHeaders, stringHeaders } from './request-headers.ts';

/** `incoming` is there when `@hono/node-server` serves the app. */
export interface ReceiveAppEnv {
  readonly Bindings: { readonly incoming?: IncomingMessage };
}

export function createReceiveApp(respond: PublicPort): Hono<ReceiveAppEnv> {
  const app = new Hono<ReceiveAppEnv>();
  app.all('/webhooks', (context) => adapt(context, '/webhooks'));
  app.all('/webhooks/:source', (context) => adapt(context, `/webhooks/${context.req.param('source')}`));
  app.all('/healthz', (context) => adapt(context, '/healthz'));
  app.notFound((context) => adapt(context, context.req.path));

  /** `path` leaves out the prefix under which the app is mounted. */
  async function adapt(context: Context<ReceiveAppEnv>, path: string): Promise<Response> {
    const { raw, method } = context.req;
    // Without a server, Hono passes no environment, whatever its type says.
    const incoming = (context.env as ReceiveAppEnv['Bindings'] | undefined)?.incoming;
    const { status, body, headers } = await respond({
      method,
      path,
      host:
        incoming === undefined ? (raw.headers.get('host') ?? new URL(raw.url).host) : incoming.headers.host,
      headers: incoming === undefined ? Object.fromEntries(raw.headers) : stringHeaders(incoming),
      // A web `Request` joins repeated headers, so they cannot be distinguished.
      repeatedHeaders: incoming === undefined ? [] : repeatedHeaders(incoming),
      body: incoming ?? (raw.body === null ? Readable.from([]) : Readable.fromWeb(raw.body)),
    });
    return Response.json(body, { status, headers });
  }
  return app;
}
