/** Ends connections that do nothing. */
import type { Connection } from './connection.ts';

/** How long a connection may be inactive, in milliseconds. */
export interface ConnectionTimeouts {
  /** Between a response and the next request. */
  readonly idleMs: number;
  /** Without reading a response that has been written; and between requests while the server closes. */
  readonly unreadMs: number;
}

/**
 * Milliseconds without reading a response while the connection is paused or takes no more requests. Node
 * keeps all that it has parsed for that long: up to 3,600 requests instead of one.
 */
const UNREAD_PAUSED_MS = 2_000;

/**
 * Has Node time a connection while it does not read its responses: only Node sees how much of a long write
 * has gone out. A timer for each request would cost as much as parsing its headers.
 */
export function timeUnread({ socket, isPaused, phase }: Connection, unreadMs: number): void {
  const limit = isPaused || phase !== 'open' ? Math.min(UNREAD_PAUSED_MS, unreadMs) : unreadMs;
  const timeout = socket.writableLength > 0 ? limit : 0;
  if ((socket.timeout ?? 0) !== timeout) socket.setTimeout(timeout);
}

/** Cuts a connection that has not been in use for `idleMs`. Call it repeatedly, `now` in monotonic milliseconds. */
export function cutIdle(connection: Connection, idleMs: number, now: number): void {
  const { socket, inFlight, exchanges, lastUse } = connection;
  const { bytesRead, writableLength } = socket;
  // A connection that waits for a slow response is in use.
  const isUsed = writableLength > 0 || inFlight.length > 0 || exchanges > lastUse.exchanges;
  if (!isUsed && now - lastUse.at < idleMs) return;
  // New bytes count once, as the start of a request: Node limits how long a request takes, but
  // ignores line breaks before it, however many come.
  const isOnlyBytes = !isUsed && !lastUse.isOnlyBytes && bytesRead > lastUse.bytesRead;
  if (isUsed || isOnlyBytes) connection.lastUse = { at: now, exchanges, bytesRead, isOnlyBytes };
  else socket.destroy();
}
