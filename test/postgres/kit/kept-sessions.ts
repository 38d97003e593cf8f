import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

interface Session {
  readonly server: Socket;
  /** What the server says when a session begins; undefined until it has said it. */
  greeting: Buffer | undefined;
}

/** Messages of PostgreSQL's protocol: what a client says last, what resets a session, and what ends an answer. */
const TERMINATE = Buffer.from('X\0\0\0\x04');
const DISCARD_ALL = Buffer.from('Q\0\0\0\x10discard all\0');
const READY = Buffer.from('Z\0\0\0\x05I');

/**
 * Hands the sessions of clients that have closed to the next ones, as a pooler in session mode does. The start of a
 * session costs PostgreSQL more than most tests, and each store starts five. Without TLS, and for clients in this
 * process only: one that the process waits for synchronously would wait forever.
 *
 * @param address of the server
 * @returns the port of 127.0.0.1 at which it listens, for as long as the process lives
 */
export async function keepSessions(address: URL): Promise<number> {
  /** By startup message, which has the user, the database and the name of the application. */
  const free = new Map<string, Set<Session>>();
  const listener = createServer({ noDelay: true }, (client) => {
    client.on('error', () => client.destroy());
    client.once('data', (startup: Buffer) => {
      const key = startup.toString('latin1');
      const sessions = free.get(key) ?? new Set();
      free.set(key, sessions);
      const [kept] = sessions;
      const session = kept ?? begin();
      sessions.delete(session);
      session.server.ref();
      relay(client, session, () => {
        session.server.unref();
        sessions.add(session);
      });

      function begin(): Session {
        const server = connect({ host: address.hostname, port: Number(address.port || 5432), noDelay: true });
        const begun: Session = { server, greeting: undefined };
        server.on('error', () => server.destroy()).once('close', () => sessions.delete(begun));
        server.write(startup);
        return begun;
      }
    });
  });
  listener.unref();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return (listener.address() as AddressInfo).port;
}

/**
 * Passes on what both say as it comes: a client waits for the answer before it leaves.
 *
 * @param keep takes the session, once its client has left and it is reset
 */
function relay(client: Socket, session: Session, keep: () => void): void {
  const { server } = session;
  let isIdle = session.greeting !== undefined;
  let hasLeft = false;
  if (session.greeting !== undefined) client.write(session.greeting);

  const greeting: Buffer[] = [];
  const answer = (chunk: Buffer) => {
    client.write(chunk);
    if (session.greeting === undefined) greeting.push(chunk);
    if (!endsWith(chunk, READY)) return;
    session.greeting ??= Buffer.concat(greeting);
    isIdle = true;
  };
  const endClient = () => client.end();
  server.on('data', answer).once('close', endClient);

  client.on('data', (chunk: Buffer) => {
    if (endsWith(chunk, TERMINATE)) return leave(chunk);
    isIdle = false;
    server.write(chunk);
  });
  client.once('close', () => {
    if (!hasLeft) server.destroy();
  });

  /** A session that still works, or is within a transaction, ends with its client. */
  function leave(last: Buffer): void {
    hasLeft = true;
    if (!isIdle || last.length > TERMINATE.length) return void server.end(last);
    server.off('data', answer).off('close', endClient);
    client.end();
    const readReset = (chunk: Buffer) => {
      if (!endsWith(chunk, READY)) return;
      server.off('data', readReset);
      keep();
    };
    server.on('data', readReset).write(DISCARD_ALL);
  }
}

function endsWith(chunk: Buffer, message: Buffer): boolean {
  return chunk.subarray(-message.length).equals(message);
}
