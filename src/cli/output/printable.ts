/**
 * Control characters, and those that turn the direction of text. Webhooks
 * carry what strangers wrote: printed raw, it could rewrite the screen.
 */
// eslint-disable-next-line no-control-regex
const unsafe = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with whatever a terminal would obey written as an escape. Line breaks stay. */
export function printable(text: string): string {
  return text.replace(unsafe, escaped);
}

/** As {@link printable}, on one line. */
export function printableLine(text: string): string {
  return text.replace(unsafe, escaped).replaceAll('\n', '\\n');
}

function escaped(character: string): string {
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A value as JSON over several lines, each indented by two spaces. */
export function indentedJson(value: unknown): string {
  return printable(JSON.stringify(value, null, 2)).replaceAll(/^/gm, '  ');
}
