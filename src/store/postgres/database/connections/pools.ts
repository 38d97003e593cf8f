/** The pools of connections, one for each purpose. */
import type { Buffer } from 'node:buffer';
import pg from 'pg';
import { decodeText } from '../../sql/text-codec.ts';
import { connectionConfig } from './client.ts';
import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** PostgreSQL's numbers of types, which differ from what pg makes of them. */
const INT8 = 20;
const TEXT = 25;
const NUMERIC = 1700;

/**
 * Milliseconds that a statement waits for a response, by pool. A connection that is cut without a word would hold its
 * statement for a quarter of an hour. Longer than the server's own timeouts, so that a slow server responds itself.
 */
export const RESPONSE_TIMEOUT_MS = { accept: 10_000, dispatch: 35_000, read: 35_000, lease: 4_000 } as const;
/** Commands may read everything, and keep nobody waiting. */
export const LONG_READ_TIMEOUT_MS = 600_000;

/** Connections of each pool by default. */
const POOL_SIZE = 4;

/** Connections of a process that dispatches, at most: with one for its lease, and one that listens. */
export const CONNECTIONS = 3 * POOL_SIZE + 2;

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: string;
  /** Connections of each of the three pools: accepting, dispatching, reading. */
  readonly poolSize?: number;
  /** Milliseconds that a read waits for a response. */
  readonly readTimeoutMs?: number;
}

/**
 * One pool for each kind of work, so that a slow read of an operator keeps no webhook waiting, and the handlers'
 * outcomes do not either. Heartbeats have a connection of their own: a process must not lose its lease because its
 * other connections wait.
 */
export interface Pools {
  readonly accepting: pg.Pool;
  readonly dispatching: pg.Pool;
  readonly reading: pg.Pool;
  readonly leasing: pg.Pool;
  end(): Promise<void>;
}

/** @param onError receives the errors of connections that nobody uses: the server has closed them */
export function createPools(
  { url, poolSize = POOL_SIZE, readTimeoutMs = RESPONSE_TIMEOUT_MS.read }: PostgresOptions,
  onError: (error: Error) => void,
): Pools {
  const sockets = createOpenSockets();
  const create = (name: keyof typeof RESPONSE_TIMEOUT_MS, max = poolSize): pg.Pool => {
    const pool = new pg.Pool({
      ...connectionConfig(url, name),
      max,
      query_timeout: name === 'read' ? readTimeoutMs : RESPONSE_TIMEOUT_MS[name],
      stream: sockets.open,
      // Statements that do not need each other's results are sent without waiting.
      pipeline: true,
      // A process that has nothing to do may end.
      allowExitOnIdle: true,
      types: storeTypes,
    });
    pool.on('error', onError);
    // For as long as it lives: the server may end a connection between the pool and whoever gets it.
    pool.on('connect', (client) => client.on('error', onError));
    return pool;
  };
  const pools = [create('accept'), create('dispatch'), create('read'), create('lease', 1)] as const;
  // Reads go by indexes, and take less time than compiling them.
  for (const pool of [pools[1], pools[2]])
    pool.on('connect', (client) => void client.query('set jit = off').catch(onError));
  return {
    accepting: pools[0],
    dispatching: pools[1],
    reading: pools[2],
    leasing: pools[3],
    async end() {
      await sockets.endAfter(Promise.all(pools.map((pool) => pool.end())));
    },
  };
}

/** How the store's values are read. */
export const storeTypes = { getTypeParser: typeParser as typeof pg.types.getTypeParser };

function typeParser(type: number, format?: 'text' | 'binary'): (value: string | Buffer) => unknown {
  if (format === 'binary') return pg.types.getTypeParser(type, format) as (value: string | Buffer) => unknown;
  // Numbers and times of this store are below 2^53.
  if (type === INT8 || type === NUMERIC) return Number;
  if (type === TEXT) return (value) => decodeText(String(value));
  return pg.types.getTypeParser(type, 'text') as (value: string | Buffer) => unknown;
}

/** Milliseconds that the end of connections waits for the other side. */
const END_TIMEOUT_MS = 2_000;

/** The sockets of connections, which end even if the other side never answers. */
interface OpenSockets {
  /** Creates a socket, as pg's option `stream`. */
  readonly open: () => Socket;
  /** Waits for the end of connections, and then closes those that have not ended. */
  endAfter(ended: Promise<unknown>): Promise<void>;
}

export function createOpenSockets(): OpenSockets {
  const sockets = new Set<Socket>();
  return {
    open() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
    async endAfter(ended) {
      const inTime = new AbortController();
      await Promise.race([ended, pause(END_TIMEOUT_MS, undefined, { signal: inTime.signal })]);
      inTime.abort();
      for (const socket of sockets) socket.destroy();
      await ended;
    },
  };
}
