import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';

const refusals: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
};

/**
 * Refuses what is not a request, or does not end, and closes its connection. Nothing is written while an
 * earlier response is unfinished: the client would read it as part of that, or as that.
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex, isAnswering: boolean): void {
  if (!socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const [status, message] = refusals[error.code ?? ''] ?? [400, 'The request is not HTTP'];
  const label = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ error: label, message });
  const head = [
    `HTTP/1.1 ${String(status)} ${label}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
  ];
  // A client that sends no end does not close the connection, either.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
