import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy between programs and a server, which fails as networks do. */
export interface TcpProxy {
  /** The address of a database behind the server, through this proxy. */
  through(url: string): string;
  /** Sends later connections to another server. */
  switchTo(url: string): void;
  /** Resets all connections. Returns their number. */
  cut(): number;
  /**
   * From now on, open connections transport nothing, and nobody is told. Later ones work.
   *
   * @param isMeant selects connections by the packet that the client sent last; all by default
   */
  silence(isMeant?: (last: Buffer) => boolean): void;
  /** Later connections are accepted and transport nothing, until `restore`. */
  swallow(): void;
  restore(): void;
  /** Holds back each packet of the server by these milliseconds. */
  delay(ms: number): void;
  /** Looks at each packet of the client, and at the first one of its connection, and says what becomes of it. */
  onRequest(watch: (packet: Buffer, first: Buffer) => Fate): void;
  /** Changes each packet of the server. */
  onResponse(change: (packet: Buffer) => Buffer): void;
}

/**
 * `cut`: the connection is reset and the server does not see the packet; `cut after`: the server does, and its response
 * is lost; `hold`: neither this packet nor anything after it arrives; `lose`: the server sees the packet, and nothing
 * after it arrives at either side.
 */
export type Fate = 'pass' | 'cut' | 'cut after' | 'hold' | 'lose';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isSilent: boolean;
  /** The packet that the client sent first. */
  first?: Buffer;
  /** The packet that the client sent last. */
  last: Buffer;
}

/** Starts a proxy to the server of this address, until the test ends. */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  let target = Number(new URL(url).port);
  let swallows = false;
  let delayMs = 0;
  let watch: (packet: Buffer, first: Buffer) => Fate = () => 'pass';
  let change = (packet: Buffer): Buffer => packet;
  const pairs = new Set<Pair>();

  function reset({ client, server }: Pair): void {
    client.resetAndDestroy();
    server.resetAndDestroy();
  }

  function request(pair: Pair, packet: Buffer): void {
    if (pair.isSilent) return;
    pair.last = packet;
    pair.first ??= packet;
    const fate = watch(packet, pair.first);
    if (fate === 'cut') reset(pair);
    else if (fate === 'hold') pair.isSilent = true;
    else if (fate === 'pass') pair.server.write(packet);
    else if (fate === 'lose') {
      pair.isSilent = true;
      pair.server.write(packet);
    } else {
      pair.isSilent = true;
      pair.server.write(packet);
      // The server responds to each statement of a packet. After a commit it has done all that it was asked to.
      const isCommit = packet.includes('commit\0');
      pair.server.on('data', (response) => {
        if (!isCommit || /COMMIT|ROLLBACK/u.test(response.toString('latin1'))) reset(pair);
      });
    }
  }

  const listener = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    const pair: Pair = { client, server, isSilent: swallows, last: Buffer.alloc(0) };
    pairs.add(pair);
    for (const socket of [client, server]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        // Nobody is told of the end of a silent connection.
        if (pair.isSilent && socket === server) return;
        pairs.delete(pair);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (packet) => {
      request(pair, packet);
    });
    server.on('data', (packet) => {
      const send = () => {
        if (!pair.isSilent) client.write(change(packet));
      };
      if (delayMs === 0) send();
      else setTimeout(send, delayMs);
    });
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  onTestFinished(() => {
    for (const pair of pairs) reset(pair);
    listener.close();
  });

  return {
    through(address) {
      const changed = new URL(address);
      changed.port = String(port);
      return changed.href;
    },
    switchTo(address) {
      target = Number(new URL(address).port);
    },
    cut() {
      const cut = [...pairs];
      for (const pair of cut) reset(pair);
      return cut.length;
    },
    silence(isMeant = () => true) {
      for (const pair of pairs) pair.isSilent ||= isMeant(pair.last);
    },
    swallow() {
      swallows = true;
    },
    restore() {
      swallows = false;
    },
    delay(ms) {
      delayMs = ms;
    },
    onRequest(watcher) {
      watch = watcher;
    },
    onResponse(changer) {
      change = changer;
    },
  };
}
