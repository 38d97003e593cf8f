/** How connections to PostgreSQL are opened: those of the pools, and single ones. */
import pg from 'pg';
import { applicationName } from './application-name.ts';

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
