/** Recognizes requests that a page of another origin made. */
import { isIPv4 } from 'node:net';

/** Headers that a browser adds to a request and a page cannot change. */
export interface BrowserHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined;
  /** The scheme by which browsers reach this server, `http` or `https`, where it is known. */
  readonly scheme?: string | undefined;
}

/** The host that a request addresses. */
export function hostOf({ headers, url }: Request): string {
  return headers.get('host') ?? new URL(url).host;
}

/** What a request itself says of its page, where no proxy stands before the server. */
export function browserHeadersOf(request: Request): BrowserHeaders {
  const { headers } = request;
  return {
    host: hostOf(request),
    origin: headers.get('origin') ?? undefined,
    site: headers.get('sec-fetch-site') ?? undefined,
  };
}

/**
 * Whether a web page of another origin made a browser send a request. Programs that are not browsers send
 * neither header. A page on another port of the same machine is `same-site`, which counts as another origin.
 */
export function isCrossOrigin({ host, origin, site, scheme }: BrowserHeaders): boolean {
  if (site === undefined && origin === undefined) return false;
  // The browser compared the whole origin itself, so this holds behind a proxy that changes the host.
  if (site === 'same-origin') return false;
  if (site !== undefined && site !== 'none') return true;
  return origin !== undefined && !isOriginOf(origin, host, scheme);
}

/** Compares name and port; the scheme only where it is known, because a proxy that ends TLS changes it. */
function isOriginOf(origin: string, host = '', scheme?: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { host: originHost, protocol } = new URL(origin);
  if (scheme !== undefined && protocol !== `${scheme}:`) return false;
  const own = `${protocol}//${host}`;
  return originHost !== '' && URL.canParse(own) && new URL(own).host === originHost;
}

/**
 * Whether a Host header names this machine: `localhost` or a loopback address. With DNS rebinding a page
 * points its own name at 127.0.0.1; the Host header of its requests still carries that name.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d*$/u, '').toLowerCase();
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}
