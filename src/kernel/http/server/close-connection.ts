/** Ends connections whose client still sends. */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { Clock } from '../../time/clock.ts';

/** How long the rest of a rejected body may take to arrive. */
const MAX_DISCARD_MS = 500;
/** Chunks of a rejected body that are discarded: about 64 MiB, or almost nothing when sent byte by byte. */
const MAX_CHUNKS = 1_000;
/** Chunks that are discarded after the last response: about 4 MiB. */
const MAX_CHUNKS_AFTER_END = 64;

/**
 * Discards the rest of a request body, so that a client that reads only after sending gets the response and
 * the connection stays usable. Destroys the connection when the rest is too long or too slow.
 */
export function discardBody(request: IncomingMessage, clock: Clock): void {
  if (request.readableEnded || request.destroyed) return;
  if (request.complete) {
    request.resume();
    return;
  }
  discard(request, request.socket, clock, MAX_CHUNKS);
}

/**
 * Ends a connection after the pending writes, and discards input until the peer ends it too. Closing a socket
 * with unread bytes resets the connection, and a reset can lose the last responses.
 */
export function closeLingering(socket: Socket, clock: Clock): void {
  if (socket.writableEnded) return;
  socket.end(() => {
    if (socket.destroyed) return;
    // Node's parser releases a paused socket when it emits `resume`; only then can it be read here.
    socket.pause().once('resume', () => {
      discard(socket, socket, clock, MAX_CHUNKS_AFTER_END);
    });
    socket.resume();
  });
}

function discard(stream: Readable, socket: Socket, clock: Clock, maxChunks: number): void {
  const destroy = (): void => void socket.destroy();
  const cancelTimer = clock.after(MAX_DISCARD_MS, destroy);
  let chunks = 0;
  const count = (): void => {
    chunks += 1;
    if (chunks > maxChunks) destroy();
  };
  // Detach the reader that began on this body and paused it.
  stream.removeAllListeners('data');
  stream.on('data', count).once('end', cancelTimer).once('close', cancelTimer).resume();
}

const parserErrors: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers are too long'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too long'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive'],
};

/**
 * Answers a request that Node's parser rejected, and closes the connection. Writes nothing while an earlier
 * response is unfinished: the client would read both as one.
 *
 * @param error Node's `clientError`
 */
export function rejectUnreadable(error: NodeJS.ErrnoException, socket: Duplex, isResponding: boolean): void {
  if (!socket.writable || isResponding) {
    socket.destroy();
    return;
  }
  const [status, message] = parserErrors[error.code ?? ''] ?? [400, 'The request is not HTTP'];
  const label = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ error: label, message });
  const head = [
    `HTTP/1.1 ${String(status)} ${label}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
  ];
  // The client may never end the connection itself.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
