/** Admits requests of a server to bounded connections. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../time/clock.ts';
import { closeLingering, discardBody } from './close-connection.ts';
import type { ConnectionTimeouts } from './connection.ts';
import { createConnections, type Connections } from './connections.ts';
import { headError, type HeadError } from './head-error.ts';

export interface AdmitOptions {
  readonly timeouts: ConnectionTimeouts;
  readonly clock: Clock;
  /** Responds to a request. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
  /** Responds to a request whose head is rejected. The response must close the connection. */
  readonly reject: (request: IncomingMessage, response: ServerResponse, error: HeadError) => void;
}

/**
 * Passes every request of a server to bounded connections, and rejects those with an invalid head. Create the
 * server without `requireHostHeader`: Node's own response would bypass the bounds.
 */
export function admitRequests(
  server: Server,
  { timeouts, clock, handle, reject }: AdmitOptions,
): Connections {
  const connections = createConnections(timeouts, {
    begin(request, response) {
      const error = headError(request);
      if (error === null) {
        handle(request, response);
        return;
      }
      // Other readers may not agree where the requests behind it begin.
      connections.closeAfterResponse(request.socket);
      reject(request, response, error);
    },
    end(request) {
      discardBody(request, clock);
    },
  });
  const admit = (request: IncomingMessage, response: ServerResponse): void => {
    connections.admit(request, response);
  };
  // `maxHeaderSize` bounds headers. Beyond a count, Node would silently drop some.
  server.maxHeadersCount = 0;
  server.on('request', admit);
  // Without these listeners Node itself responds with 417 and 100, past all bounds.
  server.on('checkExpectation', admit);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    continueOnRead(request, response);
    admit(request, response);
  });
  server.on('connection', (socket: Socket) => {
    // Node calls this after the last response of a connection.
    socket.destroySoon = () => {
      closeLingering(socket, clock);
    };
    connections.add(socket);
  });
  return connections;
}

/** Sends `100 Continue` when the body is first read. Node closes the connection of a response without it. */
function continueOnRead(request: IncomingMessage, response: ServerResponse): void {
  request.once('resume', () => {
    // The rest of a rejected body is read, too, after its response.
    if (!response.headersSent && !response.destroyed) response.writeContinue();
  });
}
