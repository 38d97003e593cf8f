/** How connections to PostgreSQL are opened: those of the pools, and single ones. */
import pg from 'pg';
import { hostname } from 'node:os';

/** Milliseconds that a query waits for a free connection of its pool, and for a new one. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Milliseconds of silence until the system asks whether the other side still exists. */
const KEEP_ALIVE_MS = 10_000;

/** @param purpose what the connection is for, as `pg_stat_activity` shows it */
export function connectionConfig(url: string, purpose: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: applicationName(purpose),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

/**
 * Returns the client of one connection beside the pools. It is not connected yet. A connection that is lost later fails
 * the next query.
 */
export function createClient(url: string, purpose: string, config: pg.ClientConfig = {}): pg.Client {
  const client = new pg.Client({ ...connectionConfig(url, purpose), ...config });
  client.on('error', () => undefined);
  return client;
}

/** PostgreSQL cuts what is longer. */
const MAX_BYTES = 63;

/**
 * Names a connection for `pg_stat_activity` and the log of PostgreSQL: `portaria accept fleet-1:4711`. A long name of a
 * host loses its end.
 *
 * @param purpose what the connection does
 */
export function applicationName(purpose: string, host = hostname(), pid = process.pid): string {
  const [before, after] = [`portaria ${purpose} `, `:${String(pid)}`];
  // PostgreSQL keeps ASCII only, and writes every other byte as several characters.
  const ascii = host.replaceAll(/[^!-~]/gu, '?');
  return before + ascii.slice(0, MAX_BYTES - before.length - after.length) + after;
}
