import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A server on loopback whose responses never end. */
export interface EndlessServer {
  readonly url: string;
  /** The number of bytes that it has written. */
  readonly bytesSent: () => number;
  /** Resolves when it starts its first response. */
  readonly responding: Promise<void>;
  /** Resolves when the client closes the connection of a response. */
  readonly disconnected: Promise<void>;
}

export interface EndlessResponse {
  readonly status?: number;
  readonly type?: string;
  /** Repeated for ever. If empty, nothing follows the start of the body. */
  readonly chunk?: string;
  /** The start of the body. */
  readonly begin?: string;
}

export async function openEndlessServer({
  status = 200,
  type = 'application/json',
  begin = '',
  chunk = 'x'.repeat(65_536),
}: EndlessResponse = {}): Promise<EndlessServer> {
  let bytesSent = 0;
  const disconnected = Promise.withResolvers<undefined>();
  const responding = Promise.withResolvers<undefined>();
  const server = createServer((request, response) => {
    request.resume();
    response.on('close', () => disconnected.resolve(undefined)).on('error', () => undefined);
    response.writeHead(status, { 'content-type': type });
    response.write(begin);
    responding.resolve(undefined);
    const writeChunks = (): void => {
      while (!response.destroyed) {
        bytesSent += chunk.length;
        if (response.write(chunk)) continue;
        response.once('drain', writeChunks);
        return;
      }
    };
    if (chunk === '') response.flushHeaders();
    else writeChunks();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    bytesSent: () => bytesSent,
    responding: responding.promise,
    disconnected: disconnected.promise,
  };
}
