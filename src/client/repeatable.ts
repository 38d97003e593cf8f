import type { Method } from '../contract/api/endpoint.ts';
import type { ClientError } from './client-error.ts';

/** Statuses that another try may change. */
const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Whether a failed call may be made again.
 *
 * - GET asks, and PUT sets fields to the same values: whenever time may help.
 * - POST would request a second slip or indication, and a second DELETE is
 *   refused (404, 422) though the first did its work: only when the provider
 *   cannot have begun, which is when it answered 429 or was never connected to.
 */
export function repeatable(method: Method, error: ClientError): boolean {
  const passes = error.status === null ? error.code !== 'unreadable' : passing.has(error.status);
  if (!passes) return false;
  return method === 'get' || method === 'put' || !error.begun;
}
