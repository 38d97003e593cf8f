import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Many connections that misbehave in the same way. */
export interface Crowd {
  readonly opened: number;
  /** The number of connections that the server has not closed yet. */
  left(): number;
  /** Closes all connections. */
  leave(): void;
}

/** What each connection does once it is open. */
export type Behaviour = (socket: Socket) => void;

/** Connections opened at a time. More than the backlog holds would be dropped and retried after a second. */
const BATCH = 100;

/** Opens `size` connections and lets each misbehave. They are closed when the test ends. */
export async function crowd(port: number, size: number, behave: Behaviour): Promise<Crowd> {
  const sockets = new Set<Socket>();
  const leave = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(leave);
  const open = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    // The server is expected to reset them.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    behave(socket);
  };
  for (let opened = 0; opened < size; opened += BATCH)
    await Promise.all(Array.from({ length: Math.min(BATCH, size - opened) }, open));
  return { opened: size, left: () => sockets.size, leave };
}

const POST = 'POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
/** Milliseconds between two pieces of a slow request. */
const PIECE_MS = 250;

/** Sends nothing. It reads, so that it notices the end of the connection. */
export const idle: Behaviour = (socket) => void socket.resume();

/** Sends headers slowly and without an end. */
export const slowHeaders: Behaviour = (socket) => {
  socket.resume().write(POST);
  repeat(socket, 'X-More: to come\r\n', PIECE_MS);
};

/** Sends a body slowly. */
export const slowBody: Behaviour = (socket) => {
  socket.resume().write(`${POST}Content-Length: 100000\r\n\r\n{"type":"`);
  repeat(socket, 'a', PIECE_MS);
};

const NEARLY_ALL = Buffer.alloc(1_000_000, 'a');

/** Sends a long body except for its end, as fast as the server reads. */
export const stalledBody: Behaviour = (socket) => {
  socket.resume().write(`${POST}Content-Length: 1048576\r\n\r\n`);
  socket.write(NEARLY_ALL);
};

/** Sends headers of the maximum size without an end. */
export const hugeHeaders: Behaviour = (socket) =>
  void socket.resume().write(`${POST}X-Huge: ${'x'.repeat(15_000)}\r\n`);

/** Sends chunks without an end, as fast as the server reads. */
export function endlessChunks(bytes: number): Behaviour {
  const chunk = `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`;
  return flooding(
    `${POST}Transfer-Encoding: chunked\r\n\r\n`,
    chunk.repeat(Math.ceil(65_536 / chunk.length)),
  );
}

/** Sends a start, and then the same bytes again and again. */
function flooding(beginning: string, some: string): Behaviour {
  return (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.writable && socket.write(some));
    };
    socket.resume().on('drain', more).write(beginning);
    more();
  };
}

/** Sends a chunk extension without an end, as fast as the server reads. */
export const endlessExtension: Behaviour = flooding(
  `${POST}Transfer-Encoding: chunked\r\n\r\n1;a=`,
  'x'.repeat(65_536),
);

/** Sends a complete body and trailers without an end, as fast as the server reads. */
export const endlessTrailers: Behaviour = flooding(
  `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n`,
  'X-More: to come\r\n'.repeat(4_096),
);

const HEALTH_REQUEST = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Sends requests as fast as the server reads, and never reads a response. */
export const fastNonReadingAsker: Behaviour = (socket) => {
  const more = (): void => {
    while (!socket.destroyed && socket.writable && socket.write(HEALTH_REQUEST.repeat(1_000)));
  };
  socket.pause().on('drain', more);
  more();
};

/** Sends as many requests as the server processes at a time, again and again, and never reads a response. */
export const nonReadingAsker: Behaviour = (socket) => {
  socket.pause();
  repeat(socket, HEALTH_REQUEST.repeat(50), 20);
};

/** Resets its connection in the middle of a body. */
export const quitter: Behaviour = (socket) => {
  socket
    .resume()
    .write(`${POST}Content-Length: 100000\r\n\r\n{"type":"charge.updated",`, () => socket.resetAndDestroy());
};

function repeat(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => {
    // Bytes that the server does not read must not pile up here.
    if (socket.writable && socket.writableLength === 0) socket.write(text);
  }, everyMs);
  socket.once('close', () => {
    clearInterval(timer);
  });
}
