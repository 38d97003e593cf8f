/** Control characters, invisible characters, and those that change direction or break lines. */
const ranges: readonly (readonly [first: number, last: number])[] = [
  [0x00, 0x1f],
  [0x7f, 0x9f],
  [0xad, 0xad],
  [0x61c, 0x61c],
  [0x180e, 0x180e],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0001, 0xe0001],
  [0xe0020, 0xe007f],
];

export const hostileCharacters: readonly string[] = ranges.flatMap(([first, last]) =>
  Array.from({ length: last - first + 1 }, (_, at) => String.fromCodePoint(first + at)),
);

/** Strings that have broken programs which displayed, stored or forwarded them. */
export const injections: readonly string[] = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "javascript:alert('x')",
  '</textarea><svg/onload=alert(1)>',
  '{{constructor.constructor("return process")()}}',
  '${jndi:ldap://127.0.0.1:1389/a}',
  '${${lower:j}ndi:dns://127.0.0.1/a}',
  "'; DROP TABLE events; --",
  '1 OR 1=1',
  'x" UNION SELECT secret FROM settings --',
  "=cmd|'/C calc'!A0",
  '@SUM(1+1)*cmd|calc',
  '+HYPERLINK("http://127.0.0.1")',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/dev/null; reboot',
  '$(touch /tmp/pwned)',
  '`id`',
  '| cat /etc/passwd #',
  '%s%n%x%p%d%99999999s',
  '%00%0d%0aSet-Cookie:a=b',
  'a\r\nX-Injected: yes\r\n\r\n<html>',
  '\u001b[2J\u001b[1;1Hrm -rf ~',
  '\u001b]0;title\u0007\u001b]52;c;Y3VybA==\u0007',
  '\u009b31mred\u009b0m\u009d0;title\u009c',
  '\u001bP$q"p\u001b\\\u001b[6n\u0005',
  'gro.live\u202emoc.doog',
  'pay\u200bpal.com\u2066\u2069',
  '{"level":50,"msg":"forged"}\n{"level":60}',
  '<!--#exec cmd="id"--><?php system("id"); ?>',
  '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  '__proto__.polluted=1',
  'a'.repeat(5_000),
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\ufe0f',
  '\ud800 half a pair \udfff',
];

/** JSON of a text, with every character but plain ones escaped. */
export function escapedJson(text: string): string {
  return JSON.stringify(text).replaceAll(/[^\u0020-\u007e]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
