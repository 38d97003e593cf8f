/** How this process names its connections to the server. */
import { hostname } from 'node:os';

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
