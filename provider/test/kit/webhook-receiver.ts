import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver {
  readonly url: string;
  /** In order of arrival. */
  readonly received: readonly ReceivedWebhook[];
  /** Sets the next responses: a status, a status with headers, or a function. Further ones are 204. */
  respond(...responses: readonly Response[]): void;
}

type Response =
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void);

/** Starts an HTTP server on loopback that records webhooks. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const responses: Response[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      const next = responses.shift() ?? 204;
      if (typeof next === 'function') next(response);
      else if (typeof next === 'number') response.writeHead(next).end();
      else response.writeHead(next.status, next.headers).end();
    });
    // A sender that disconnects is not an error of the receiver.
    request.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  );
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received,
    respond(...next) {
      responses.push(...next);
    },
  };
}
