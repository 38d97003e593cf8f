/** Bounds what the open connections of a server may hold. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  cutIdle,
  timeUnread,
  closeAfter,
  createConnection,
  endWhenDone,
  pauseReading,
  resumeReading,
  type ConnectionTimeouts,
  type Connection,
} from './connection.ts';

/** Requests in flight of one connection. No honest client pipelines as many. */
const MAX_IN_FLIGHT = 100;
/** Requests in flight of all connections. Beyond it each connection has one, which bounds memory. */
const MAX_TOTAL_IN_FLIGHT = 1_000;
/** Queued requests of one connection. A read of 64 KiB holds about as many of 60 bytes; webhooks are longer. */
const MAX_QUEUED = 1_000;
/**
 * Queued requests of all connections. Node parses a whole read, up to 3,600 requests, before it can pause
 * the socket, and each takes about 5 KB.
 */
const MAX_TOTAL_QUEUED = 5_000;
/** Queued requests that begin in one tick of the event loop, so that other connections get theirs. */
const MAX_BEGUN_PER_TICK = 100;

/** What the server does with a request. */
export interface Exchange {
  /** Handles it. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Cleans up after its response is closed. */
  end(request: IncomingMessage): void;
}

/** The open connections of a server: bounds pipelining, and ends connections in order. */
export interface Connections {
  add(socket: Socket): void;
  /**
   * Begins a request, or queues it and stops reading its connection. With too many queued requests, or after
   * `closeAfterResponse` or `fail`, drops it; the last response before it announces the end of the connection.
   */
  admit(request: IncomingMessage, response: ServerResponse): void;
  /** Takes no more requests of this connection, drops its queued ones, and stops reading it. */
  closeAfterResponse(socket: Socket): void;
  /** Takes no more requests, and calls `end` once all complete requests before the failure are responded to. */
  fail(socket: Socket, end: Connection['endFailed']): void;
  /** Cuts connections past their timeouts. Call it repeatedly, `now` in monotonic milliseconds. */
  cutTimedOut(now: number): void;
  /** Ends unused connections now, and the others after the responses they wait for. */
  windDown(): void;
}

export function createConnections({ idleMs, unreadMs }: ConnectionTimeouts, exchange: Exchange): Connections {
  const open = new Map<Socket, Connection>();
  // Arrays, not sets: a set that grows and shrinks leaves chains of old tables in the old generation, which
  // keep dead responses alive and make every minor GC copy them.
  const scheduled: Connection[] = [];
  let totalInFlight = 0;
  let totalQueued = 0;
  let isTickScheduled = false;
  let isWindingDown = false;
  let checkedAt = 0;

  function begin(connection: Connection, response: ServerResponse): void {
    const { inFlight } = connection;
    connection.exchanges += 1;
    inFlight.push(response);
    totalInFlight += 1;
    if (isWindingDown) closeAfter(connection, response);
    response.on('close', () => {
      // The idle timeout starts anew with the end of a response.
      connection.exchanges += 1;
      inFlight.splice(inFlight.indexOf(response), 1);
      if (open.has(connection.socket)) totalInFlight -= 1;
      exchange.end(response.req);
      if (connection.socket.writableEnded) stopTaking(connection);
      if (!connection.socket.destroyed) proceed(connection);
    });
    exchange.begin(response.req, response);
  }

  /** Decides how a connection goes on after a response, or after a request has left the queue. */
  function proceed(connection: Connection): void {
    if (connection.queue.length > 0) schedule(connection);
    else if (connection.phase !== 'open') endWhenDone(connection);
    else if (connection.isPaused) resumeReading(connection);
  }

  /** Without room it is scheduled again after its next response. */
  function schedule(connection: Connection): void {
    if (connection.isScheduled || !hasRoom(connection)) return;
    connection.isScheduled = true;
    scheduled.push(connection);
    scheduleTick();
  }

  function scheduleTick(): void {
    if (isTickScheduled) return;
    isTickScheduled = true;
    setImmediate(beginQueued);
  }

  /** Begins one queued request of each connection after the other. */
  function beginQueued(): void {
    isTickScheduled = false;
    for (let begun = 0; begun < MAX_BEGUN_PER_TICK; begun += 1) {
      const connection = scheduled.shift();
      if (connection === undefined) return;
      connection.isScheduled = false;
      const next = hasRoom(connection) ? connection.queue.shift() : undefined;
      if (next === undefined) continue;
      totalQueued -= 1;
      begin(connection, next);
      proceed(connection);
    }
    if (scheduled.length > 0) scheduleTick();
  }

  function hasRoom({ inFlight }: Connection): boolean {
    // Its response may end the connection, and a response to the next request would be lost.
    if (inFlight.at(-1)?.req.headers.expect !== undefined) return false;
    return inFlight.length < (totalInFlight < MAX_TOTAL_IN_FLIGHT ? MAX_IN_FLIGHT : 1);
  }

  /** Takes no more requests, and drops the queued ones. */
  function stopTaking(connection: Connection): void {
    if (connection.phase === 'open') connection.phase = 'closing';
    dropQueue(connection);
  }

  function dropQueue({ queue }: Connection): void {
    totalQueued -= queue.length;
    queue.length = 0;
  }

  return {
    add(socket) {
      const connection = createConnection(socket, checkedAt);
      open.set(socket, connection);
      // Responses that wait behind another one emit no `close` of their own.
      socket.once('close', () => {
        open.delete(socket);
        totalInFlight -= connection.inFlight.length;
        dropQueue(connection);
      });
    },
    admit({ socket }, response) {
      const connection = open.get(socket);
      if (connection === undefined || socket.destroyed) return;
      const { inFlight, queue, phase } = connection;
      // Paused in every other case: Node keeps each parsed request until those before it are responded to.
      if (phase === 'open' && queue.length === 0 && hasRoom(connection)) {
        begin(connection, response);
        return;
      }
      if (phase === 'open' && totalQueued < MAX_TOTAL_QUEUED && queue.length < MAX_QUEUED) {
        totalQueued += 1;
        queue.push(response);
      } else if (phase === 'open') closeAfter(connection, queue.at(-1) ?? inFlight.at(-1));
      pauseReading(connection);
    },
    closeAfterResponse(socket) {
      const connection = open.get(socket);
      if (connection === undefined) return;
      stopTaking(connection);
      pauseReading(connection);
    },
    fail(socket, end) {
      const connection = open.get(socket);
      if (connection === undefined || socket.destroyed) {
        end(false);
        return;
      }
      if (connection.phase !== 'failed') {
        connection.phase = 'failed';
        connection.endFailed = end;
      }
      pauseReading(connection);
      endWhenDone(connection);
    },
    cutTimedOut(now) {
      checkedAt = now;
      for (const connection of open.values()) {
        timeUnread(connection, unreadMs);
        // A closing server no longer has Node check that the headers of a request end.
        cutIdle(connection, isWindingDown ? unreadMs : idleMs, now);
      }
    },
    windDown() {
      isWindingDown = true;
      for (const connection of open.values()) {
        const { socket, inFlight, queue } = connection;
        // Queued requests are not stored, so their sender repeats them elsewhere. Node ends only connections
        // that it counts as idle: neither these nor those that were never used.
        if (inFlight.length === 0 && queue.length > 0) socket.destroySoon();
        dropQueue(connection);
        closeAfter(connection, inFlight.at(-1));
        // The body of the last request may still be arriving.
        if (inFlight.length > 0 && inFlight.every(({ req }) => req.complete)) pauseReading(connection);
        if (socket.bytesRead === 0) socket.destroy();
      }
    },
  };
}
