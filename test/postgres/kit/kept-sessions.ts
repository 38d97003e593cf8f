import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

interface Session {
  readonly server: Socket;
  /** What the server says when a session begins; undefined until it has said it. */
  greeting: Buffer | undefined;
}

/** Types of messages of PostgreSQL's protocol. */
const [TERMINATE, QUERY, SYNC, AUTHENTICATION, READY] = Buffer.from('XQSRZ');
const IDLE = 'I'.charCodeAt(0);
const TERMINATED = Buffer.from('X\0\0\0\x04');
const DISCARD_ALL = Buffer.from('Q\0\0\0\x10discard all\0');

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

/** @param keep takes the session, once its client has left and it is reset */
function relay(client: Socket, session: Session, keep: () => void): void {
  const { server } = session;
  let unanswered = 0;
  let idle = session.greeting !== undefined;
  let left = false;
  if (session.greeting !== undefined) client.write(session.greeting);

  const greeting: Buffer[] = [];
  const readServer = reader((message) => {
    client.write(message);
    if (session.greeting === undefined) {
      const authenticated = message[0] === AUTHENTICATION && message.readInt32BE(5) === 0;
      if (authenticated || greeting.length > 0) greeting.push(Buffer.from(message));
    }
    if (message[0] !== READY) return;
    if (session.greeting !== undefined) unanswered -= 1;
    session.greeting ??= Buffer.concat(greeting);
    idle = message.at(-1) === IDLE;
  });
  const endClient = () => client.end();
  server.on('data', readServer).once('close', endClient);

  const readClient = reader((message) => {
    if (message[0] === TERMINATE) return leave();
    if (message[0] === QUERY || message[0] === SYNC) unanswered += 1;
    server.write(message);
  });
  client.on('data', (chunk: Buffer) => {
    server.cork();
    readClient(chunk);
    server.uncork();
  });
  client.once('close', () => {
    if (!left) server.destroy();
  });

  /** A session that still works, or is within a transaction, ends with its client. */
  function leave(): void {
    left = true;
    if (unanswered > 0 || !idle) return void server.end(TERMINATED);
    server.off('data', readServer).off('close', endClient);
    client.end();
    const readReset = reader((message) => {
      if (message[0] !== READY) return;
      server.off('data', readReset);
      keep();
    });
    server.on('data', readReset).write(DISCARD_ALL);
  }
}

/** Calls `each` with each whole message of a stream that arrives in pieces. */
function reader(each: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readInt32BE(1)) {
      const end = rest.readInt32BE(1) + 1;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      each(message);
    }
  };
}
