import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that are worked on at a time; no honest client pipelines that many. */
const MAX_IN_FLIGHT = 100;
/** Of all connections. Beyond it each has one in flight, so memory does not grow with those that pipeline. */
const MAX_IN_FLIGHT_TOGETHER = 1_000;
/**
 * Requests of all connections that have been read and wait behind those. One read of a socket holds up to
 * 3,600 of them, and Node has parsed all before it can stop; each takes some 5 KB.
 */
const MAX_QUEUED = 5_000;

/** Of one. A read of 64 KiB holds no more that have 60 bytes each, and no webhook has fewer. */
const MAX_QUEUED_OF_ONE = 1_000;
/** Of those, begun in a turn of the event loop, one of each connection after the other: others have turns, too. */
const MAX_BEGUN_A_TURN = 100;
/**
 * Milliseconds that one may read nothing of its answers while it is held, or admits no more. Node keeps all that
 * it has parsed for as long: up to 3,600 requests, where others have one.
 */
const HELD_UNREAD_MS = 2_000;

/** How long connections may be of no use, in milliseconds. */
export interface Patience {
  /** With one that waits for no answer. */
  readonly idleMs: number;
  /** With one that does not read the answer it has got, and on the way out with one that waits for none. */
  readonly unreadMs: number;
}

/** What becomes of requests. */
export interface Exchange {
  /** A request's turn has come. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Its response is out of the way. */
  end(request: IncomingMessage): void;
}

/** The open connections of a server, and what each of them waits for. */
export interface Connections {
  add(socket: Socket): void;
  /**
   * Begins a request, at once or when those before it leave room; its connection is not read meanwhile. Behind
   * one that is distrusted, or too many in all, it is not begun: the last answer says that the connection ends,
   * and the connection is not read any more.
   */
  admit(request: IncomingMessage, response: ServerResponse): void;
  /** Admits no more requests of this connection, also of those that have been read already, and reads no more. */
  distrust(socket: Socket): void;
  /** Admits no more, and calls `end` once all that came whole before is answered. */
  fail(socket: Socket, end: (isAnswering: boolean) => void): void;
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
  readonly socket: Socket;
  /** Responses to what has begun, in order, until they are out of the way. */
  readonly inFlight: ServerResponse[];
  /** Responses to what was read with those and has not begun, in order. */
  readonly queue: ServerResponse[];
  /** Whether it is in the list of those whose next request may begin. */
  isReady: boolean;
  /** Whether it is not read. */
  isHeld: boolean;
  /** Whether it admits no more requests. */
  isClosing: boolean;
  /** Ends it, once all that came whole is answered. */
  ending: ((isAnswering: boolean) => void) | null;
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

export function createConnections({ idleMs, unreadMs }: Patience, exchange: Exchange): Connections {
  // Lists, not sets: a set that is added to and deleted from leaves its former tables behind, each with a
  // reference to the next. Once one of them is among the old objects, all that follow survive with what they
  // hold, and most of a processor goes into copying dead responses.
  const open = new Map<Socket, Connection>();
  let inFlightTogether = 0;
  let queued = 0;
  const ready: Connection[] = [];
  let isTurnAsked = false;
  let windingDown = false;
  let lookedAt = 0;

  function begin(connection: Connection, response: ServerResponse): void {
    const { inFlight } = connection;
    connection.turns += 1;
    inFlight.push(response);
    inFlightTogether += 1;
    if (windingDown) endAfter(connection, response);
    response.on('close', () => {
      // Its patience begins anew: counted from the look before, it would be cut before its time.
      connection.turns += 1;
      inFlight.splice(inFlight.indexOf(response), 1);
      if (open.has(connection.socket)) inFlightTogether -= 1;
      exchange.end(response.req);
      if (!connection.socket.destroyed) goOn(connection);
    });
    exchange.begin(response.req, response);
  }

  /** After an answer. */
  function goOn(connection: Connection): void {
    const { socket, inFlight, queue } = connection;
    if (queue.length > 0) wait(connection);
    else if (connection.ending !== null) endWhenAnswered(connection);
    else if (connection.isClosing) {
      if (inFlight.length === 0) socket.destroySoon();
    } else if (connection.isHeld) release(connection);
  }

  /** Until it has room, which comes with an answer of its own, or its turn. */
  function wait(connection: Connection): void {
    if (connection.isReady || !hasRoom(connection)) return;
    connection.isReady = true;
    ready.push(connection);
    askForTurn();
  }

  function askForTurn(): void {
    if (isTurnAsked) return;
    isTurnAsked = true;
    setImmediate(takeTurn);
  }

  function takeTurn(): void {
    isTurnAsked = false;
    for (let begun = 0; begun < MAX_BEGUN_A_TURN; begun += 1) {
      const connection = ready.shift();
      if (connection === undefined) return;
      connection.isReady = false;
      const next = hasRoom(connection) ? connection.queue.shift() : undefined;
      if (next === undefined) continue;
      queued -= 1;
      begin(connection, next);
      goOn(connection);
    }
    if (ready.length > 0) askForTurn();
  }

  function hasRoom({ inFlight }: Connection): boolean {
    return inFlight.length < (inFlightTogether < MAX_IN_FLIGHT_TOGETHER ? MAX_IN_FLIGHT : 1);
  }

  function drop({ queue }: Connection): void {
    queued -= queue.length;
    queue.length = 0;
  }

  return {
    add(socket) {
      const connection: Connection = {
        socket,
        inFlight: [],
        queue: [],
        isReady: false,
        isHeld: false,
        isClosing: false,
        ending: null,
        turns: 0,
        lastUse: { at: lookedAt, turns: 0, bytes: 0, isBeginning: false },
      };
      open.set(socket, connection);
      // Responses that wait behind another one hear nothing of its end.
      socket.once('close', () => {
        open.delete(socket);
        inFlightTogether -= connection.inFlight.length;
        drop(connection);
      });
    },
    admit({ socket }, response) {
      const connection = open.get(socket);
      if (connection === undefined || socket.destroyed) return;
      const { inFlight, queue } = connection;
      // Node keeps every request that it parses until those before it are answered.
      if (connection.isClosing) hold(connection);
      else if (queue.length === 0 && hasRoom(connection)) begin(connection, response);
      else if (queued < MAX_QUEUED && queue.length < MAX_QUEUED_OF_ONE) {
        queued += 1;
        queue.push(response);
        hold(connection);
      } else {
        endAfter(connection, queue.at(-1) ?? inFlight.at(-1));
        hold(connection);
      }
    },
    distrust(socket) {
      const connection = open.get(socket);
      if (connection === undefined) return;
      connection.isClosing = true;
      drop(connection);
      hold(connection);
    },
    fail(socket, end) {
      const connection = open.get(socket);
      if (connection === undefined || socket.destroyed) {
        end(false);
        return;
      }
      connection.isClosing = true;
      connection.ending ??= end;
      hold(connection);
      endWhenAnswered(connection);
    },
    cutUseless(now) {
      lookedAt = now;
      // A server that closes has Node look no more whether headers that have begun ever end.
      const patience = windingDown ? unreadMs : idleMs;
      for (const [socket, connection] of open) {
        const isUnread = socket.writableLength > 0;
        const isHeavy = connection.isHeld || connection.isClosing;
        const patienceMs = isHeavy ? Math.min(HELD_UNREAD_MS, unreadMs) : unreadMs;
        const timeout = isUnread ? patienceMs : 0;
        if ((socket.timeout ?? 0) !== timeout) socket.setTimeout(timeout);
        // In use is also one that waits for an answer that takes its time.
        const { inFlight, turns, lastUse } = connection;
        const isUsed = isUnread || inFlight.length > 0 || turns > lastUse.turns;
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
      for (const connection of open.values()) {
        const { socket, inFlight, queue } = connection;
        // Not begun, so not stored: the sender sends it again elsewhere. To Node such a connection is not idle.
        if (inFlight.length === 0 && queue.length > 0) socket.destroySoon();
        drop(connection);
        endAfter(connection, inFlight.at(-1));
        // The body of the last one may still be on its way.
        if (inFlight.length > 0 && inFlight.every(({ req }) => req.complete)) hold(connection);
        // Nor is one that was opened in advance and never used.
        if (socket.bytesRead === 0) socket.destroy();
      }
    },
  };
}

/** Answers all up to this response, says with it that the connection ends, and admits no more. */
function endAfter(connection: Connection, last: ServerResponse | undefined): void {
  if (last === undefined) return;
  connection.isClosing = true;
  last.shouldKeepAlive = false;
}

/** The request at which it failed may have begun, and never becomes whole. */
function endWhenAnswered({ ending, inFlight, queue }: Connection): void {
  if (queue.length > 0 || inFlight.some(({ req }) => req.complete)) return;
  ending?.(inFlight[0]?.headersSent === true);
}

/** Reads no more of it: the sender is held up once what lies between is full. */
function hold(connection: Connection): void {
  if (connection.isHeld) return;
  connection.isHeld = true;
  connection.socket.pause().on('resume', pauseAgain);
}

function release(connection: Connection): void {
  connection.isHeld = false;
  connection.socket.off('resume', pauseAgain).resume();
}

/** Node reads on whenever somebody reads a body, also one that is there already. One that is ended is read out. */
function pauseAgain(this: Socket): void {
  if (!this.writableEnded) this.pause();
}
