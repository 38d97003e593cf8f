/** A path of this origin; the overview for anything else, so no link can lead elsewhere. */
export function backTo(path: string | null): string {
  // A browser drops tabs and line breaks, and reads `\` as `/`.
  if (path === null || !path.startsWith('/') || /[^!-\u{10FFFF}]|\\/u.test(path)) return '/';
  if (!URL.canParse(path, 'http://x')) return '/';
  const { origin, pathname, search } = new URL(path, 'http://x');
  return origin === 'http://x' && !pathname.startsWith('//') ? pathname + search : '/';
}
