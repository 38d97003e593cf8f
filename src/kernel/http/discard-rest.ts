import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../time/clock.ts';

/** How long the rest of a refused body may take, in milliseconds, */
const MAX_MS = 500;
/** and in how many pieces it may come: some 64 MiB from an honest sender, and nothing from one who sends byte by byte. */
const MAX_PIECES = 1_000;
/** The same after the last answer: some 4 MiB, which is more than honest senders have on the way. */
const MAX_PIECES_AFTER = 64;

/**
 * Reads what is left of a body that nobody wants: a sender who reads only once
 * all is sent gets to see the answer, and a connection can go on with its next
 * request. Cuts the connection when there is too much of it.
 */
export function discardRest(request: IncomingMessage, clock: Clock): void {
  if (request.readableEnded || request.destroyed) return;
  if (request.complete) {
    request.resume();
    return;
  }
  discard(request, request.socket, clock, MAX_PIECES);
}

/**
 * Ends a connection after what is written, and discards what the peer still sends until the peer ends it,
 * too. To close a socket with unread bytes resets the connection, and a reset can lose the last answers.
 */
export function closeLingering(socket: Socket, clock: Clock): void {
  if (socket.writableEnded) return;
  socket.end(() => {
    if (socket.destroyed) return;
    // Node starts to read a paused socket when it emits this. Taken from Node's parser before, it would not.
    socket.pause().once('resume', () => {
      discard(socket, socket, clock, MAX_PIECES_AFTER);
    });
    socket.resume();
  });
}

function discard(stream: Readable, socket: Socket, clock: Clock, mostPieces: number): void {
  const cut = (): void => void socket.destroy();
  const cancelCut = clock.after(MAX_MS, cut);
  let pieces = 0;
  const count = (): void => {
    pieces += 1;
    if (pieces > mostPieces) cut();
  };
  // Whoever has begun to read it, and holds it up now, reads no more.
  stream.removeAllListeners('data');
  stream.on('data', count).once('end', cancelCut).once('close', cancelCut).resume();
}
