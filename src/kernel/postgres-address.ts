/** Whether a text is the address of a database in PostgreSQL: `postgres://…` or `postgresql://…`. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\/./iu.test(text);
}

/** A mode of TLS that other programs, or later versions of the client, check less than `verify-full`. */
const OTHER_MODE = /([?&]sslmode=)(?!(?:disable|no-verify)?(?:&|$))[^&]*/gu;

/**
 * Returns an address whose server has to prove who it is, if its `sslmode` asks for TLS at all: every mode but
 * `disable` and `no-verify` becomes `verify-full`. With `uselibpqcompat=true` the modes mean what they do in libpq.
 */
export function withVerifiedTls(url: string): string {
  if (!URL.canParse(url) || new URL(url).searchParams.get('uselibpqcompat') === 'true') return url;
  return url.replace(OTHER_MODE, '$1verify-full');
}

/**
 * Returns the address of a database as messages show it: without the password, and without parameters. A user, host or
 * port that is a parameter stands where it is otherwise, because the client goes there.
 */
export function addressWithoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'postgres://…';
  const { protocol, username, hostname, port, pathname, searchParams } = new URL(url);
  const user = encodeURIComponent(searchParams.get('user') ?? '') || username;
  const host = inAuthority(searchParams.get('host') ?? '') || hostname;
  const usedPort = searchParams.get('port') ?? port;
  return `${protocol}//${user === '' ? '' : `${user}@`}${host}${usedPort === '' ? '' : `:${usedPort}`}${pathname}`;
}

/** Returns a host as it stands before the database: the folder of a socket encoded, an IPv6 address in brackets. */
function inAuthority(host: string): string {
  return host.includes(':') ? `[${host}]` : encodeURIComponent(host);
}
