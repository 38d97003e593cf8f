/** Addresses of this origin, for redirects. */

/** Stands for this origin: the address that is left has none. */
const ORIGIN = 'http://own.invalid';

/**
 * Returns an address of this origin that a form was on, so that no link can lead elsewhere. It is read as a
 * browser reads it: tabs disappear, backslashes are slashes, and dots are resolved. Anything else is `/`.
 */
export function ownAddress(given: string | null): string {
  if (given === null || !given.startsWith('/') || !URL.canParse(given, ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(given, ORIGIN);
  // What is left may begin with two slashes, and would name another host.
  return origin === ORIGIN && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/';
}
