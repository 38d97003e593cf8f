import { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Idle sessions of a kind that stay open. */
const KEPT = 2;
/** The message by which a client ends its session. */
const TERMINATE = Buffer.from([0x58, 0, 0, 0, 4]);
/** The end of a response when the session is idle, outside of a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);
const DISCARD_ALL = Buffer.from('Q\0\0\0\u{10}DISCARD ALL\0', 'latin1');

interface Session {
  readonly socket: Socket;
  /** What the server said when the session began. */
  readonly greeting: Buffer;
}

/** Idle sessions, by the message that began them: it names the database, the user and what the session is for. */
const idle = new Map<string, Session[]>();

/**
 * Creates a socket to PostgreSQL. A session that its client ends stays, without its state, for the next client that
 * begins the same: a new session costs the server more than most tests.
 */
export function openKept(): Socket {
  return new KeptSocket() as unknown as Socket;
}

type Done = (error?: Error | null) => void;

class KeptSocket extends Duplex {
  #address: readonly [port: number, host: string] = [0, ''];
  #begun = '';
  #socket: Socket | undefined;
  #greeting: Buffer = Buffer.alloc(0);
  #isReferenced = true;

  connect(port: number, host: string): void {
    this.#address = [port, host];
    process.nextTick(() => this.emit('connect'));
  }

  override _write(message: Buffer, _encoding: BufferEncoding, done: Done): void {
    if (this.#begun === '') this.#begin(message);
    else if (message.equals(TERMINATE)) this.#leave();
    else this.#send(message);
    done();
  }

  override _final(done: Done): void {
    this.push(null);
    done();
  }

  override _read(): void {
    // What the server sends is pushed when it arrives.
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket?.destroy();
    done(error);
  }

  ref(): void {
    this.#isReferenced = true;
    this.#socket?.ref();
  }

  unref(): void {
    this.#isReferenced = false;
    this.#socket?.unref();
  }

  setNoDelay(): void {
    // The sockets below send without delay.
  }

  setKeepAlive(): void {
    // The server runs on this machine.
  }

  #begin(message: Buffer): void {
    this.#begun = message.toString('latin1');
    const session = idle.get(this.#begun)?.pop();
    if (session === undefined) {
      const [port, host] = this.#address;
      this.#use(new Socket().setNoDelay(true).connect(port, host), (data) => {
        this.#greeting = Buffer.concat([this.#greeting, data]);
      });
      this.#send(message);
    } else {
      this.#use(session.socket);
      this.#greeting = session.greeting;
      this.push(session.greeting);
    }
  }

  /** @param greeted is called with what arrives until the session is ready */
  #use(socket: Socket, greeted?: (data: Buffer) => void): void {
    let isReady = greeted === undefined;
    this.#socket = socket;
    if (this.#isReferenced) socket.ref();
    else socket.unref();
    listen(socket, {
      data: (data) => {
        if (!isReady) greeted?.(data);
        isReady ||= endsReady(data);
        this.push(data);
      },
      close: () => this.destroy(),
    });
  }

  /** Writes of one tick travel together, as they do from a socket that pg corks. */
  #send(message: Buffer): void {
    const socket = this.#socket;
    if (socket?.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket?.write(message);
  }

  #leave(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) keep(this.#begun, { socket, greeting: this.#greeting });
  }
}

/** Keeps a session as soon as the server has discarded its state. */
function keep(begun: string, session: Session): void {
  const { socket } = session;
  const others = idle.get(begun) ?? [];
  idle.set(begun, others);
  listen(socket, {
    data(data) {
      if (endsReady(data) && others.length < KEPT) others.push(session);
      else socket.destroy();
    },
    close() {
      const index = others.indexOf(session);
      if (index !== -1) others.splice(index, 1);
    },
  });
  socket.unref();
  socket.write(DISCARD_ALL);
}

/** Replaces the listeners of a session's last client. */
function listen(socket: Socket, on: { data(data: Buffer): void; close(): void }): void {
  for (const event of ['data', 'close', 'error']) socket.removeAllListeners(event);
  socket.on('data', on.data);
  // Every error is followed by the end of the session.
  socket.on('error', () => undefined);
  socket.on('close', on.close);
}

function endsReady(data: Buffer): boolean {
  return data.subarray(-READY.length).equals(READY);
}
