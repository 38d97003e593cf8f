/** Ends connections whose other side does not answer. */
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds that the end of connections waits for the other side. */
const END_TIMEOUT_MS = 2_000;

/** The sockets of connections, which end even if the other side never answers. */
export interface OpenSockets {
  /** Creates a socket, as pg's option `stream`. */
  readonly open: () => Socket;
  /** Waits for the end of connections, and then closes those that have not ended. */
  endAfter(ended: Promise<unknown>): Promise<void>;
}

export function createOpenSockets(): OpenSockets {
  const sockets = new Set<Socket>();
  return {
    open() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    async endAfter(ended) {
      const inTime = new AbortController();
      await Promise.race([ended, pause(END_TIMEOUT_MS, undefined, { signal: inTime.signal })]);
      inTime.abort();
      for (const socket of sockets) socket.destroy();
      await ended;
    },
  };
}
