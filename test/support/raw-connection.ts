import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';

/** An HTTP response as it was received. */
export interface RawAnswer {
  readonly status: number;
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A TCP connection that sends any bytes, HTTP or not, and parses responses. */
export interface RawConnection {
  readonly socket: Socket;
  send(bytes: string | Uint8Array): void;
  /** Resolves to the next response. Rejects when the connection ends before the response is complete. */
  answer(): Promise<RawAnswer>;
  /** Resolves once either side has closed the connection. */
  readonly closed: Promise<void>;
}

export async function connect(port: number): Promise<RawConnection> {
  const socket = connectSocket(port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // A reset closes the connection too.
  socket.on('error', () => undefined);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  await once(socket, 'connect');

  return {
    socket,
    closed,
    send(bytes) {
      socket.write(bytes);
    },
    async answer() {
      for (;;) {
        const read = readAnswer(received);
        if (read !== undefined) {
          received = received.slice(read.length);
          return read.answer;
        }
        if (socket.destroyed) throw new Error(`the connection ended after ${JSON.stringify(received)}`);
        await Promise.race([once(socket, 'data'), closed]);
      }
    },
  };
}

function readAnswer(text: string): { answer: RawAnswer; length: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const bodyStart = headEnd + 4;
  const length = bodyStart + Number(headers['content-length'] ?? 0);
  if (text.length < length) return undefined;
  const status = Number(statusLine.split(' ')[1]);
  return { answer: { status, headers, body: text.slice(bodyStart, length) }, length };
}
