/** Makes text safe for a terminal. */

/**
 * Control characters, and invisible ones: direction overrides, zero-width characters, line and paragraph
 * separators. Webhooks carry text of unknown senders; printed raw it could rewrite the screen or mislead the
 * reader. Excludes line feeds, and variation selectors, which are part of emoji.
 */
const UNSAFE = /(?!\n|\p{Variation_Selector})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const ASCII = /^[\n -~]*$/;

/**
 * Escapes the characters that a terminal would obey or hide. Line feeds stay. JSON remains the same JSON: the
 * escapes are those of JSON.
 */
export function printable(text: string): string {
  // Most text is ASCII, which is found five times faster.
  return ASCII.test(text) ? text : text.replace(UNSAFE, escapeCharacter);
}

/** Escapes as {@link printable} does, and line feeds too. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n');
}

function escapeCharacter(character: string): string {
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  // One escape per UTF-16 code unit, as JSON requires beyond the basic plane.
  return Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join('');
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
