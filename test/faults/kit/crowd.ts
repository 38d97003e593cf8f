import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Connections that do not behave. */
export interface Crowd {
  readonly opened: number;
  /** How many the server has not ended yet. */
  left(): number;
  /** All go away. */
  leave(): void;
}

/** What one of the crowd does, once connected. */
export type Behaviour = (socket: Socket) => void;

/** Connections opened at a time: more than a backlog holds would be dropped and tried again after a second. */
const AT_A_TIME = 100;

export async function crowd(port: number, size: number, behave: Behaviour): Promise<Crowd> {
  const sockets = new Set<Socket>();
  const leave = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(leave);
  const open = async (): Promise<void> => {
    const socket = connect(port, '127.0.0.1');
    // Being reset is what they are here for.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    behave(socket);
  };
  for (let opened = 0; opened < size; opened += AT_A_TIME)
    await Promise.all(Array.from({ length: Math.min(AT_A_TIME, size - opened) }, open));
  return { opened: size, left: () => sockets.size, leave };
}

const POST = 'POST /webhooks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
/** Milliseconds between two drops of what comes slowly. */
const DROP_MS = 250;

/** Says nothing at all, and reads what it is told so that it hears of the end. */
export const idle: Behaviour = (socket) => void socket.resume();

export const slowHeaders: Behaviour = (socket) => {
  socket.resume().write(POST);
  repeat(socket, 'X-More: to come\r\n', DROP_MS);
};

export const slowBody: Behaviour = (socket) => {
  socket.resume().write(`${POST}Content-Length: 100000\r\n\r\n{"type":"`);
  repeat(socket, 'a', DROP_MS);
};

const NEARLY_ALL = Buffer.alloc(1_000_000, 'a');

/** All of a long body but its end, as fast as it is taken. */
export const stalledBody: Behaviour = (socket) => {
  socket.resume().write(`${POST}Content-Length: 1048576\r\n\r\n`);
  socket.write(NEARLY_ALL);
};

/** Headers as large as they may be, without their end. */
export const hugeHeaders: Behaviour = (socket) =>
  void socket.resume().write(`${POST}X-Huge: ${'x'.repeat(15_000)}\r\n`);

/** Chunks without end, as fast as they are taken. */
export function endlessChunks(bytes: number): Behaviour {
  const chunk = `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n`;
  return flooding(
    `${POST}Transfer-Encoding: chunked\r\n\r\n`,
    chunk.repeat(Math.ceil(65_536 / chunk.length)),
  );
}

/** A beginning, and then the same again and again. */
function flooding(beginning: string, some: string): Behaviour {
  return (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.writable && socket.write(some));
    };
    socket.resume().on('drain', more).write(beginning);
    more();
  };
}

/** A chunk whose extension does not end, as fast as it is taken. */
export const endlessExtension: Behaviour = flooding(
  `${POST}Transfer-Encoding: chunked\r\n\r\n1;a=`,
  'x'.repeat(65_536),
);

/** Trailers without end behind a whole body, as fast as they are taken. */
export const endlessTrailers: Behaviour = flooding(
  `${POST}Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n`,
  'X-More: to come\r\n'.repeat(4_096),
);

const ASK = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Asks and asks, as fast as it may, without reading an answer. */
export const eagerAsker: Behaviour = (socket) => {
  const more = (): void => {
    while (!socket.destroyed && socket.writable && socket.write(ASK.repeat(1_000)));
  };
  socket.pause().on('drain', more);
  more();
};

/** Asks for as much as is answered at a time, again and again, and never reads an answer. */
export const deafAsker: Behaviour = (socket) => {
  socket.pause();
  repeat(socket, ASK.repeat(50), 20);
};

/** Goes away in the middle of its body. */
export const quitter: Behaviour = (socket) => {
  socket
    .resume()
    .write(`${POST}Content-Length: 100000\r\n\r\n{"type":"charge.updated",`, () => socket.resetAndDestroy());
};

function repeat(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(() => {
    // What the other side does not take must not pile up here.
    if (socket.writable && socket.writableLength === 0) socket.write(text);
  }, everyMs);
  socket.once('close', () => {
    clearInterval(timer);
  });
}
