import { Hono, type Context } from 'hono';
import { errorBody } from './answer.ts';
import { createReceiveWebhook, type ReceiveOptions } from './receive-webhook.ts';
import { bodyStream, headerRecord, incomingOf, repeatedHeaders, type WireEnv } from './wire.ts';

/**
 * The public port: `POST /webhooks`, `POST /webhooks/<source>`, `GET /healthz`,
 * and nothing else. Runs in any Hono app; over sockets see `listen`.
 */
export function createReceiveApp(options: ReceiveOptions): Hono<WireEnv> {
  const app = new Hono<WireEnv>();
  const receive = createReceiveWebhook(options);
  for (const path of ['/webhooks', '/webhooks/:source']) {
    // One handler for all methods: Hono calls a single one directly, and composes several for every request.
    app.all(path, async (context) => {
      if (context.req.method !== 'POST') return methodNotAllowed(context, 'POST');
      const source = context.req.param('source') ?? 'default';
      const answer = await receive({
        source,
        headers: headerRecord(context),
        repeatedHeaders: repeatedHeaders(incomingOf(context)),
        body: bodyStream(context),
      });
      return context.json(answer.body, answer.status, answer.headers);
    });
  }
  app.get('/healthz', (context) => health(context, options));
  app.all('/healthz', (context) => methodNotAllowed(context, 'GET, HEAD'));
  app.notFound((context) =>
    context.json(errorBody(404, 'There is nothing here; webhooks go to /webhooks'), 404),
  );
  app.onError((error, context) => {
    options.log.error({ err: error }, 'a request failed');
    return context.json(errorBody(500, 'Something went wrong here'), 500);
  });
  return app;
}

function health(context: Context<WireEnv>, { stopping, healthy }: ReceiveOptions): Response {
  if (stopping()) return context.json(errorBody(503, 'Shutting down'), 503);
  if (healthy?.() === false) return context.json(errorBody(503, 'Webhooks cannot be stored'), 503);
  return context.json({ status: 'ok' });
}

function methodNotAllowed(context: Context<WireEnv>, allow: string): Response {
  const { method, path } = context.req;
  return context.json(errorBody(405, `${path} takes ${allow}, not ${method}`), 405, { allow });
}
