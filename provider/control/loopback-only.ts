import { getConnInfo } from '@hono/node-server/conninfo';
import type { MiddlewareHandler } from 'hono';
import { isCrossOrigin } from '../../src/kernel/http/browser-guard.ts';
import { Refusal } from '../http/refusal.ts';

/** What proxies add. */
const forwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

/**
 * Answers this machine only. The socket says who asks, not a header. A browser on
 * this machine asks on behalf of any web page, so neither a page of another
 * origin, another port included, nor a name that was pointed at this machine (DNS
 * rebinding) is let in; and a proxy on it asks on behalf of anybody.
 */
export const loopbackOnly: MiddlewareHandler = async (c, next) => {
  const { address } = getConnInfo(c).remote;
  if (address === undefined || !isLoopbackAddress(address))
    throw new Refusal(
      403,
      'Only this machine itself is answered here: ask from it, at 127.0.0.1',
      'Forbidden',
    );
  if (forwarded.some((name) => c.req.header(name) !== undefined))
    throw new Refusal(403, 'A proxy is not answered: nobody knows who asks it', 'Forbidden');
  const host = c.req.header('host') ?? '';
  if (!isLoopbackHost(nameOf(`http://${host}`)))
    throw new Refusal(403, 'Host: write localhost, 127.0.0.1 or [::1] in the address', 'Forbidden');
  if (isCrossOrigin({ host, origin: c.req.header('origin'), site: c.req.header('sec-fetch-site') }))
    throw new Refusal(
      403,
      'Web pages of other origins are not answered: ask without a browser, or type the address',
      'Forbidden',
    );
  await next();
};

/** IPv4 comes in this form, too, where a socket listens for both. */
function isLoopbackAddress(address: string): boolean {
  return address === '::1' || address.replace(/^::ffff:/u, '').startsWith('127.');
}

function isLoopbackHost(name: string | null): boolean {
  return name === 'localhost' || name === '[::1]' || name === '127.0.0.1';
}

/** Without port, as the address says it; null when it is none. */
function nameOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).hostname : null;
}
