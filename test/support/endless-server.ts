import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on loopback whose answers never end. */
export interface EndlessServer {
  readonly url: string;
  /** Bytes of answers that it could get rid of. */
  readonly poured: () => number;
  /** Resolves when the first answer has begun. */
  readonly begun: Promise<void>;
  /** Resolves when the connection of its first answer is closed. */
  readonly cut: Promise<void>;
}

export interface EndlessAnswer {
  readonly status?: number;
  readonly type?: string;
  /** What is repeated for ever; when empty, nothing follows the headers. */
  readonly chunk?: string;
  readonly begin?: string;
}

export async function openEndlessServer({
  status = 200,
  type = 'application/json',
  begin = '',
  chunk = 'x'.repeat(65_536),
}: EndlessAnswer = {}): Promise<EndlessServer> {
  let poured = 0;
  let closed = (): void => undefined;
  const cut = new Promise<void>((resolve) => (closed = resolve));
  let answers = (): void => undefined;
  const begun = new Promise<void>((resolve) => (answers = resolve));
  const server = createServer((request, response) => {
    request.resume();
    response.on('close', closed).on('error', () => undefined);
    response.writeHead(status, { 'content-type': type });
    response.write(begin);
    answers();
    const pour = (): void => {
      while (!response.destroyed) {
        poured += chunk.length;
        if (response.write(chunk)) continue;
        response.once('drain', pour);
        return;
      }
    };
    if (chunk === '') response.flushHeaders();
    else pour();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${String(port)}`, poured: () => poured, begun, cut };
}
