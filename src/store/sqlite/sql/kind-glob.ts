/**
 * A kind or wildcard as an SQLite GLOB. In a wildcard `*` stands for one or
 * more characters, in a GLOB for none or more, and `?` and `[` are special too.
 */
export function kindGlob(pattern: string): string {
  return pattern.replaceAll(/[?[]/g, (special) => `[${special}]`).replaceAll(/\*+/g, '?*');
}
