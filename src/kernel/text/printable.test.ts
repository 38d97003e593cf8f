import { expect, test } from 'vitest';
import { printable, printableLine } from './printable.ts';

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

/** Code points that a terminal obeys, that reverse or hide text, or that end a line invisibly. */
const CORPUS: Readonly<Record<string, readonly number[]>> = {
  'C0 controls': from(0x00, 0x1f).filter((code) => code !== 0x0a),
  'DEL and C1 controls': from(0x7f, 0x9f),
  'bidirectional controls': [0x061c, 0x200e, 0x200f, ...from(0x202a, 0x202e), ...from(0x2066, 0x2069)],
  'zero-width characters': [
    0x00ad,
    0x034f,
    0x115f,
    0x1160,
    0x180e,
    ...from(0x200b, 0x200d),
    ...from(0x2060, 0x2064),
    0x3164,
    0xfeff,
    0xffa0,
  ],
  'line and paragraph separators': [0x2028, 0x2029],
  'annotations and tags': [...from(0xfff9, 0xfffb), 0xe0001, ...from(0xe0020, 0xe007f)],
};

test.each(Object.entries(CORPUS))('escapes %s, and JSON remains the same JSON', (_, codes) => {
  for (const code of codes) {
    const character = String.fromCodePoint(code);
    const escaped = printable(`a${character}b`);
    expect(escaped).toMatch(/^a(\\[tr]|(\\u[0-9a-f]{4}){1,2})b$/);
    const json = JSON.stringify({ [character]: character });
    expect(printable(json)).toMatch(/^[\n -~]+$/);
    expect(JSON.parse(printable(json))).toEqual({ [character]: character });
  }
});

test('leaves ordinary text of any language unchanged', () => {
  const text = 'João Ação 你好 مرحبا 🚗 ❤\ufe0f "quoted" \\ ~\nnext line';
  expect(printable(text)).toBe(text);
  expect(printable(printable('\u009b31m'))).toBe('\\u009b31m');
});

test('printableLine escapes line breaks too', () => {
  expect(printableLine('a\nb\r\u2028c')).toBe('a\\nb\\r\\u2028c');
});
