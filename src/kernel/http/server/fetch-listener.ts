/** Serves an application of web requests, such as the private port's, with Node's HTTP server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { KEEP_ALIVE } from './keep-alive.ts';
import { announcesKeepAlive, errorResponse } from './json-response.ts';

export interface FetchApp {
  readonly fetch: Parameters<typeof getRequestListener>[0];
}

/** Serves an app of web requests and responses, such as Hono's, with Node's HTTP server. */
export function serveFetchApp(app: FetchApp): (request: IncomingMessage, response: ServerResponse) => void {
  const handle = getRequestListener(fetchWithKeepAlive, {
    errorHandler: respondToInvalid,
    // `listen` discards the rest of a body, at a bounded cost.
    autoCleanupIncoming: false,
    // HTTP/1.0 needs no Host. This name is not loopback, so guards that require one reject the request.
    hostname: 'unnamed.invalid',
  });

  /** A response that closes its connection must not announce how long the connection stays open. */
  async function fetchWithKeepAlive(...[request, env]: Parameters<FetchApp['fetch']>): Promise<unknown> {
    const response = await app.fetch(request, env);
    if (response instanceof Response && response.headers.get('connection') === 'close')
      env.outgoing.removeHeader('keep-alive');
    return response;
  }

  return (request, response) => {
    if (announcesKeepAlive(response)) response.setHeader('keep-alive', KEEP_ALIVE);
    void handle(request, response);
  };
}

/** Responds to requests that never reach the app, because their target or host is not valid. */
function respondToInvalid(error: unknown): Response {
  const isInvalid = error instanceof RequestError;
  const message = isInvalid ? 'The request has no valid address' : 'Internal error';
  const { status, body } = errorResponse(isInvalid ? 400 : 500, message);
  return Response.json(body, { status });
}
