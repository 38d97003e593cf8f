/** Whether a text is the address of a database in PostgreSQL: `postgres://…` or `postgresql://…`. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\/./iu.test(text);
}

/** Returns the address of a database as messages show it: without the password, and without parameters. */
export function addressWithoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'postgres://…';
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
