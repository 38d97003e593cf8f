import type { IncomingMessage, ServerResponse } from 'node:http';
import { KEEP_ALIVE } from '../kernel/http/keep-alive.ts';
import type { Answer } from './answer.ts';
import { createReceiveWebhook, type ReceiveOptions } from './receive-webhook.ts';
import { repeatedHeaders, textHeaders } from './wire.ts';

/** Answers a request, or says that it is not one of its own. */
export type DirectRoute = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Paths and hosts that mean what they say: nothing to decode, no query, no doubt where the host ends. */
const PLAIN_PATH = /^\/webhooks(?:\/([a-z0-9][a-z0-9-]{0,62}))?$/;
const PLAIN_HOST =
  /^[a-z0-9](?:[a-z0-9.-]{0,252})(?::(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$/i;

/**
 * The way nearly every webhook takes: from Node's request to Node's response,
 * with no framework in between, which would cost as much again as all that is
 * done to the webhook here. What is unusual in any way goes through the app,
 * which answers the same.
 */
export function createDirectRoute(options: ReceiveOptions): DirectRoute {
  const receive = createReceiveWebhook(options);
  return (request, response) => {
    if (request.method !== 'POST' || !PLAIN_HOST.test(request.headers.host ?? '')) return false;
    const path = PLAIN_PATH.exec(request.url ?? '');
    if (path === null) return false;
    receive({
      source: path[1] ?? 'default',
      headers: textHeaders(request),
      repeatedHeaders: repeatedHeaders(request),
      body: request,
    })
      .then((answer) => {
        send(response, answer);
      })
      .catch((error: unknown) => {
        options.log.error({ err: error }, 'a request failed');
        response.destroy();
      });
    return true;
  };
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  const goesOn = response.shouldKeepAlive && headers['connection'] !== 'close';
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': length,
    ...(goesOn ? { 'keep-alive': KEEP_ALIVE } : {}),
  });
  const { socket } = response;
  // One that waits behind another has none yet.
  if (socket === null) {
    response.end(text);
    return;
  }
  // Ended with a text, Node writes that and then nothing, as two pieces of one write; this is one piece.
  socket.cork();
  response.write(text);
  socket.uncork();
  response.end();
}
