import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver {
  readonly url: string;
  /** In order of arrival. */
  readonly received: readonly ReceivedWebhook[];
  /** How the next ones are answered: a status, headers too, or by hand. Then 204 again. */
  answer(...answers: readonly Answer[]): void;
}

type Answer =
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | ((response: ServerResponse) => void);

/** A real HTTP server on loopback that takes webhooks. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const answers: Answer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      const answer = answers.shift() ?? 204;
      if (typeof answer === 'function') answer(response);
      else if (typeof answer === 'number') response.writeHead(answer).end();
      else response.writeHead(answer.status, answer.headers).end();
    });
    // A sender that breaks off is no failure of the receiver.
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
    answer(...next) {
      answers.push(...next);
    },
  };
}
