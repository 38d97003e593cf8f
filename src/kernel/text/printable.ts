/**
 * Control characters, and characters that show nothing of themselves: those
 * that turn the direction of text, zero-width ones, line and paragraph
 * separators. Webhooks carry what strangers wrote: printed raw, it could rewrite
 * the screen, or read as what it is not. Line feeds are text, and variation
 * selectors a part of emoji.
 */
const UNSAFE = /(?!\n|\p{Variation_Selector})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text with whatever a terminal would obey or hide written as an escape.
 * Line breaks stay. JSON stays the same JSON, as its escapes are the same.
 */
export function printable(text: string): string {
  return text.replace(UNSAFE, escaped);
}

/** As {@link printable}, on one line. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\n');
}

function escaped(character: string): string {
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  // By code units, as JSON writes what lies beyond the first plane.
  return Array.from({ length: character.length }, (_, at) => codeUnit(character.charCodeAt(at))).join('');
}

function codeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
