import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that wait for their answers at a time; no honest client pipelines that many. */
const MOST_WAITING = 100;

/** The open connections of a server, and what each of them waits for. */
export interface Connections {
  add(socket: Socket): void;
  /**
   * Takes note of a request, and calls `answered` when its response is out of the
   * way. False when it is not to be answered: it is one too many, for which its
   * connection is cut, or comes behind one that was, or on a distrusted connection.
   */
  admit(request: IncomingMessage, response: ServerResponse, answered: () => void): boolean;
  /** Whether nothing is to be expected of it: it waits for no answer, or does not read the one it has got. */
  isDeadWeight(socket: Socket): boolean;
  /** Admits no more requests of this connection, also of those that have been read already. */
  distrust(socket: Socket): void;
  /** Ends unused connections now, the others after the answers they wait for. */
  windDown(): void;
}

export function createConnections(): Connections {
  // Lists, not sets: a set that is added to and deleted from leaves its former tables behind, each with a
  // reference to the next. Once one of them is among the old objects, all that follow survive with what they
  // hold, and most of a processor goes into copying dead responses.
  const waiting = new Map<Socket, ServerResponse[]>();
  let windingDown = false;

  return {
    add(socket) {
      waiting.set(socket, []);
      // Responses that wait behind another one hear nothing of its end.
      socket.once('close', () => waiting.delete(socket));
    },
    admit({ socket }, response, answered) {
      const responses = waiting.get(socket);
      if (responses === undefined || socket.destroyed) return false;
      if (responses.length >= MOST_WAITING) {
        socket.destroy();
        return false;
      }
      responses.push(response);
      response.shouldKeepAlive &&= !windingDown;
      response.on('close', () => {
        responses.splice(responses.indexOf(response), 1);
        answered();
      });
      return true;
    },
    isDeadWeight: (socket) => (waiting.get(socket)?.length ?? 0) === 0 || socket.writableLength > 0,
    distrust: (socket) => void waiting.delete(socket),
    windDown() {
      windingDown = true;
      for (const [socket, responses] of waiting) {
        for (const response of responses) response.shouldKeepAlive = false;
        // Opened in advance and never used: to Node these are not idle.
        if (socket.bytesRead === 0) socket.destroy();
      }
    },
  };
}
