import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP proxy to a server on loopback whose connections a test can cut. */
export interface CutConnection {
  readonly url: string;
  /** The number of connections so far. */
  readonly made: () => number;
  /** The number of open connections. */
  readonly open: () => number;
  /** Destroys every open connection on both sides. */
  cut(): void;
  /** Starts or stops rejecting new connections. */
  block(blocked: boolean): void;
}

export async function openCutConnection(port: number): Promise<CutConnection> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let made = 0;
  let isBlocked = false;
  const server = createServer((inner) => {
    if (isBlocked) {
      inner.destroy();
      return;
    }
    made += 1;
    const outer = connect(port, '127.0.0.1');
    const pair = [inner, outer] as const;
    pairs.add(pair);
    for (const [from, to] of [pair, [outer, inner]] as const) {
      from.pipe(to);
      // When one side closes, close the other.
      from.on('error', () => undefined);
      from.on('close', () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const sockets of pairs) for (const socket of sockets) socket.destroy();
  };
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  );
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    made: () => made,
    open: () => pairs.size,
    cut,
    block(blocked) {
      isBlocked = blocked;
    },
  };
}
