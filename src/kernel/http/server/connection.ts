/** What a server knows of one connection. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** One client connection of a server: its requests, and whether it takes more. */
export interface Connection {
  readonly socket: Socket;
  /** Responses to the requests that have begun, in order, until each is closed. */
  readonly inFlight: ServerResponse[];
  /** Responses to the requests that Node has parsed and that have not begun, in order. */
  readonly queue: ServerResponse[];
  /** Whether it waits in the list of connections whose next request begins. */
  isScheduled: boolean;
  /** Whether its socket is not read. */
  isPaused: boolean;
  /** `open` takes requests; `closing` ends after its last response; `failed` ends by `endFailed`. */
  phase: 'open' | 'closing' | 'failed';
  /** Ends a failed connection. `isResponding` is true if a response has been written in part. */
  endFailed: (isResponding: boolean) => void;
  /** Requests begun plus responses closed. */
  exchanges: number;
  lastUse: LastUse;
}

/** What was seen of a connection when it was last in use. */
export interface LastUse {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly exchanges: number;
  readonly bytesRead: number;
  /** Whether new bytes were its only use. */
  readonly isOnlyBytes: boolean;
}

export function createConnection(socket: Socket, now: number): Connection {
  return {
    socket,
    inFlight: [],
    queue: [],
    isScheduled: false,
    isPaused: false,
    phase: 'open',
    endFailed: () => undefined,
    exchanges: 0,
    lastUse: { at: now, exchanges: 0, bytesRead: 0, isOnlyBytes: false },
  };
}

/** Takes no more requests, and ends the connection with this response. Without one, does nothing. */
export function closeAfter(connection: Connection, last: ServerResponse | undefined): void {
  if (last === undefined) return;
  if (connection.phase === 'open') connection.phase = 'closing';
  last.shouldKeepAlive = false;
}

/** Ends a connection that takes no more requests, after its last response. */
export function endWhenDone({ socket, phase, endFailed, inFlight, queue }: Connection): void {
  if (phase === 'closing' && inFlight.length === 0) socket.destroySoon();
  if (phase !== 'failed') return;
  // The request at which it failed may have begun, and never becomes complete.
  if (queue.length > 0 || inFlight.some(({ req }) => req.complete)) return;
  endFailed(inFlight[0]?.headersSent === true);
}

/** Stops reading: once the buffers in between are full, the sender has to wait. */
export function pauseReading(connection: Connection): void {
  if (connection.isPaused) return;
  connection.isPaused = true;
  connection.socket.pause().on('resume', pauseAgain);
}

export function resumeReading(connection: Connection): void {
  connection.isPaused = false;
  connection.socket.off('resume', pauseAgain).resume();
}

/** Node resumes the socket whenever a body is read, even a buffered one. An ended socket is read to its end. */
function pauseAgain(this: Socket): void {
  if (!this.writableEnded) this.pause();
}

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
