/** Returns the address of a database as messages show it: without the password, and without parameters. */
export function addressWithoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'postgres://…';
  const { protocol, username, host, pathname } = new URL(url);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
