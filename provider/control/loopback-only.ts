/** Guards `/control` against other machines and pages. */
import { getConnInfo } from '@hono/node-server/conninfo';
import type { MiddlewareHandler } from 'hono';
import { isCrossOrigin } from '../../src/kernel/http/browser-guard.ts';
import { HttpError } from '../http/http-error.ts';

/** Headers that proxies add. */
const forwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

/**
 * Rejects requests that do not come from this machine, by the address of the socket. Also
 * rejects web pages of other origins (other ports included), foreign host names (DNS
 * rebinding) and proxies, which all make requests from this machine for others.
 */
export const loopbackOnly: MiddlewareHandler = async (c, next) => {
  const { address } = getConnInfo(c).remote;
  if (address === undefined || !isLoopbackAddress(address))
    throw new HttpError(403, 'Only requests from this machine are allowed: use 127.0.0.1', 'Forbidden');
  if (forwarded.some((name) => c.req.header(name) !== undefined))
    throw new HttpError(403, 'Requests through a proxy are not allowed', 'Forbidden');
  const host = c.req.header('host') ?? '';
  if (!isLoopbackHost(nameOf(`http://${host}`)))
    throw new HttpError(403, 'Host: use localhost, 127.0.0.1 or [::1]', 'Forbidden');
  if (isCrossOrigin({ host, origin: c.req.header('origin'), site: c.req.header('sec-fetch-site') }))
    throw new HttpError(403, 'Requests from web pages of other origins are not allowed', 'Forbidden');
  await next();
};

/** A dual-stack socket reports IPv4 as `::ffff:127.0.0.1`. */
function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.replace(/^::ffff:/u, '').startsWith('127.');
}

function isLoopbackHost(name: string | null): boolean {
  return name === 'localhost' || name === '[::1]' || name === '127.0.0.1';
}

/** Returns the host name of a URL; null for an invalid one. */
function nameOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).hostname : null;
}
