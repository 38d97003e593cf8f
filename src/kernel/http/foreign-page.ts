/** What a browser adds to a request, and no page can change. Undefined where there is no such header. */
export interface BrowserHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `Sec-Fetch-Site`. */
  readonly site: string | undefined;
}

/**
 * Whether a web page of another origin had a browser make a request. Programs that are no browser send
 * neither header. A page on another port of the same machine is `same-site`, and as foreign as any other.
 */
export function isForeignPage({ host, origin, site }: BrowserHeaders): boolean {
  if (site === undefined && origin === undefined) return false;
  // The browser has compared the whole origin, also where a proxy has changed the host since.
  if (site === 'same-origin') return false;
  if (site !== undefined && site !== 'none') return true;
  return origin !== undefined && !isOriginOf(origin, host);
}

/** By name and port: before a proxy that ends TLS the scheme is another. */
function isOriginOf(origin: string, host = ''): boolean {
  if (!URL.canParse(origin)) return false;
  const { host: named, protocol } = new URL(origin);
  const own = `${protocol}//${host}`;
  return named !== '' && URL.canParse(own) && new URL(own).host === named;
}
