/** Recognizes a URL by which this process would send webhooks to itself. */
import { hostname, networkInterfaces } from 'node:os';
import { isLoopback } from './loopback.ts';

/** Whether a request to `url` would arrive at a listener on `host` and `port`. Resolves no names. */
export function isOwnAddress(url: URL, host: string, port: number): boolean {
  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  if (port === 0 || port !== (url.port === '' ? defaultPort : Number(url.port))) return false;
  const target = plainHost(url.hostname);
  const own = plainHost(host);
  if (target === own) return true;
  if (isLoopback(own)) return isLoopback(target) || isAnyAddress(target);
  return isAnyAddress(own) && (isLoopback(target) || isAnyAddress(target) || namesOfMachine().has(target));
}

/** Lower case, without the brackets of IPv6, the dot of a full name, and the IPv6 form of IPv4's loopback. */
function plainHost(host: string): string {
  const plain = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/u, '$1')
    .replace(/\.$/u, '');
  if (/^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/u.test(plain)) return '127.0.0.1';
  return plain.endsWith('.localhost') ? 'localhost' : plain;
}

/** A listener there is reachable at every address; a client there reaches its own machine. */
function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function namesOfMachine(): ReadonlySet<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list.map((one) => one.address));
  return new Set([hostname(), ...addresses].map(plainHost));
}
