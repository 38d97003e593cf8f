/** Whether a text is the address of a database in PostgreSQL: `postgres://…` or `postgresql://…`. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\/./iu.test(text);
}

/** Whether an address has a password among its parameters, where the client reads it, too. */
export function hasPasswordParameter(url: string): boolean {
  return URL.canParse(url) && new URL(url).searchParams.has('password');
}

/** Returns the address of a database as messages show it: without the password, and without parameters. */
export function addressWithoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'postgres://…';
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
