import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that wait for their answers at a time; no honest client pipelines that many. */
const MOST_WAITING = 100;

/** How long connections may be of no use, in milliseconds. */
export interface Patience {
  /** With one that waits for no answer. */
  readonly idleMs: number;
  /** With one that does not read the answer it has got, and on the way out with one that waits for none. */
  readonly unreadMs: number;
}

/** The open connections of a server, and what each of them waits for. */
export interface Connections {
  add(socket: Socket): void;
  /**
   * Takes note of a request, and calls `answered` when its response is out of the
   * way. False when it is not to be answered: it is one too many, for which its
   * connection is cut, or comes behind one that was, or on a distrusted connection.
   */
  admit(request: IncomingMessage, response: ServerResponse, answered: () => void): boolean;
  /** Admits no more requests of this connection, also of those that have been read already. */
  distrust(socket: Socket): void;
  /**
   * Cuts those that were of no use for as long as there is patience with them. To be called again and again,
   * `now` being monotonic milliseconds: a timer of Node's for each connection would be set and cleared with
   * each request, which costs as much as reading its headers does. Only those that have yet to read what was
   * written are given one: how much of a long write has gone out, nobody but Node sees.
   */
  cutUseless(now: number): void;
  /** Ends unused connections now, the others after the answers they wait for. */
  windDown(): void;
}

interface Connection {
  /** Responses to what it has asked, in order, until they are out of the way. */
  readonly waiting: ServerResponse[];
  isTrusted: boolean;
  /** Requests and answers so far. */
  turns: number;
  /** What there was of it when it was last seen to be of use, at monotonic milliseconds. */
  lastUse: {
    readonly at: number;
    readonly turns: number;
    readonly bytes: number;
    /** Whether all that was of use was that something more had been read. */
    readonly isBeginning: boolean;
  };
}

export function createConnections({ idleMs, unreadMs }: Patience): Connections {
  // Lists, not sets: a set that is added to and deleted from leaves its former tables behind, each with a
  // reference to the next. Once one of them is among the old objects, all that follow survive with what they
  // hold, and most of a processor goes into copying dead responses.
  const open = new Map<Socket, Connection>();
  let windingDown = false;
  let lookedAt = 0;

  return {
    add(socket) {
      open.set(socket, {
        waiting: [],
        isTrusted: true,
        turns: 0,
        lastUse: { at: lookedAt, turns: 0, bytes: 0, isBeginning: false },
      });
      // Responses that wait behind another one hear nothing of its end.
      socket.once('close', () => open.delete(socket));
    },
    admit({ socket }, response, answered) {
      const connection = open.get(socket);
      if (connection === undefined || !connection.isTrusted || socket.destroyed) return false;
      const { waiting } = connection;
      if (waiting.length >= MOST_WAITING) {
        socket.destroy();
        return false;
      }
      connection.turns += 1;
      waiting.push(response);
      response.shouldKeepAlive &&= !windingDown;
      response.on('close', () => {
        // Its patience begins anew: counted from the look before, it would be cut before its time.
        connection.turns += 1;
        waiting.splice(waiting.indexOf(response), 1);
        answered();
      });
      return true;
    },
    distrust(socket) {
      const connection = open.get(socket);
      if (connection !== undefined) connection.isTrusted = false;
    },
    cutUseless(now) {
      lookedAt = now;
      // A server that closes has Node look no more whether headers that have begun ever end.
      const patience = windingDown ? unreadMs : idleMs;
      for (const [socket, connection] of open) {
        const isUnread = socket.writableLength > 0;
        const timeout = isUnread ? unreadMs : 0;
        if ((socket.timeout ?? 0) !== timeout) socket.setTimeout(timeout);
        // In use is also one that waits for an answer that takes its time.
        const { waiting, turns, lastUse } = connection;
        const isUsed = isUnread || waiting.length > 0 || turns > lastUse.turns;
        if (!isUsed && now - lastUse.at < patience) continue;
        // If more has been read than then, it has begun to ask. That is believed once: a request is read within
        // its limits of time, but line ends that come before one are none to Node, however many.
        const isBeginning = !isUsed && !lastUse.isBeginning && socket.bytesRead > lastUse.bytes;
        if (isUsed || isBeginning)
          connection.lastUse = { at: now, turns, bytes: socket.bytesRead, isBeginning };
        else socket.destroy();
      }
    },
    windDown() {
      windingDown = true;
      for (const [socket, { waiting }] of open) {
        for (const response of waiting) response.shouldKeepAlive = false;
        // Opened in advance and never used: to Node these are not idle.
        if (socket.bytesRead === 0) socket.destroy();
      }
    },
  };
}
