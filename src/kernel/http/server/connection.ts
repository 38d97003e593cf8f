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
