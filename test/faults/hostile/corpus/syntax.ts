import type { Draws } from '../../kit/seed.ts';

/** A body that is JSON or almost JSON. Each has its own kind and id, so that none is a repeat. */
export type SyntaxCase = readonly [name: string, body: string | Uint8Array];

/** An envelope of an unknown kind, so that only the syntax decides. */
function envelope(name: string, value: string): string {
  return `{"type":"syntax-${name}.made","data":{"id":"${name}","v":${value}}}`;
}

/** Replaces the tilde of a string with bytes that are not UTF-8. */
function withBytes(text: string, ...bytes: readonly number[]): Uint8Array {
  const [before = '', after = ''] = text.split('~');
  return Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
}

/** Values and almost values, each to be put into an envelope. */
const inPlaceOfAValue: Readonly<Record<string, readonly string[]>> = {
  word: ['NaN', 'Infinity', '-Infinity', 'undefined', 'True', 'NULL', 'nul', 'truefalse', 'null null'],
  number: [
    '01',
    '-',
    '-a',
    '+1',
    '.5',
    '1.',
    '1.e1',
    '1e',
    '1e400',
    '[0,{"a":-1e309}]',
    '1e+',
    '1e1.5',
    '0x10',
    '1_000',
    '1,5',
    '0b1',
    '1n',
    '٣',
  ],
  string: [
    `'a'`,
    '"a',
    'a"',
    '""""',
    '"a" "b"',
    '"a\\"',
    '"\\x41"',
    '"\\u12"',
    '"\\u12G4"',
    '"\\U0041"',
    '"\\0"',
    '"\\a"',
    '"\\\'"',
    '"a\nb"',
    '"a\tb"',
    '"a\u0001b"',
    '"\u007f\u0080"',
    '"\u2028\u2029"',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '`a`',
    '"a"+"b"',
    '“a”',
  ],
  list: ['[1,]', '[,1]', '[,]', '[1 2]', '[1', '1]', '[]]', '[[]', '[1}', '[1;2]', '(1)', '[...a]'],
  object: [
    // After the second of these, V8 may read the key of the first as a backslash (nodejs/node#63785).
    '{"h":1,"\\n":2}',
    '{"h":[],"\\\\":0}',
    '{"h":1,"\\"":2}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a"}',
    '{"a":}',
    '{"a" 1}',
    '{a:1}',
    "{'a':1}",
    '{1:1}',
    '{"a":1 "b":2}',
    '{"a":1}}',
    '{"a"=1}',
    '{"a"::1}',
    '{null:1}',
    '{"":1}',
    '{"a":1,"a":2,"\\u0061":3}',
    '{"__proto__":1,"__proto__":{"p":1}}',
    '{"constructor":{"prototype":{"p":1}},"prototype":1}',
    '{"\\u005f_proto__":null}',
  ],
  comment: ['1//c\n', '1/*c*/', '/**/1', '#c\n1', '1<!--c-->', '1--c\n'],
  program: [
    'new Date()',
    '(function(){})()',
    '1;alert(1)',
    '$ref',
    '!!js/function',
    '{{7*7}}',
    '${7*7}',
    "1)]}'",
  ],
};

/** White space. Only the first four are valid in JSON. */
const whiteSpace = [
  ' ',
  '\t',
  '\n',
  '\r',
  '\v',
  '\f',
  '\u0000',
  '\u0085',
  '\u00a0',
  '\u1680',
  '\u180e',
  '\u2003',
  '\u200b',
  '\u2028',
  '\u2029',
  '\u3000',
  '\ufeff',
];

/** Bodies that are not an envelope, or an unusual one. */
const whole: readonly SyntaxCase[] = [
  ...[
    '1',
    '"a"',
    'true',
    'null',
    '[]',
    '[{"type":"a.b","data":1}]',
    '{}',
    '""',
    '-',
    '\\',
    '"',
    '{',
    '[',
  ].map((text): SyntaxCase => [`${text} alone`, text]),
  ['no data', '{"type":"whole-a.made"}'],
  ['data that is null', '{"type":"whole-b.made","data":null}'],
  ['no type', '{"data":{"id":1}}'],
  ...[
    'null',
    '1',
    '""',
    '["a.b"]',
    '{"a":1}',
    'true',
    '" "',
    '"\\u0085"',
    '"\\ud800"',
    '"a\\u007fb"',
    '"\\u202e"',
  ].map((type): SyntaxCase => [`a type that is ${type}`, `{"type":${type},"data":{"id":"of type"}}`]),
  ['a type of 200 characters', `{"type":"${'t'.repeat(200)}","data":1}`],
  ['a type of 201 characters', `{"type":"${'t'.repeat(201)}","data":1}`],
  ['a type of 100 pairs', `{"type":"${'\u{1f600}'.repeat(100)}","data":1}`],
  ['members in capitals', '{"TYPE":"whole-c.made","DATA":1}'],
  ['members behind an escape', '{"\\u0074ype":"whole-d.made","d\\u0061ta":1}'],
  ['members by way of a prototype', '{"__proto__":{"type":"whole-e.made","data":1}}'],
  ['type twice, the last is none', '{"type":"whole-f.made","type":1,"data":1}'],
  ['a number beyond doubles beside the data', '{"type":"whole-g.made","data":1,"n":1e400}'],
  ['a byte order mark', `\ufeff${envelope('bom', '1')}`],
  ['a byte order mark behind a space', ` \ufeff${envelope('late-bom', '1')}`],
  ['a byte order mark at the end', `${envelope('end-bom', '1')}\ufeff`],
  ['a byte order mark of UTF-16', withBytes(`~${envelope('bom-16', '1')}`, 0xff, 0xfe)],
  ['UTF-16 with its mark', Buffer.from(`\ufeff${envelope('utf-16', '1')}`, 'utf16le')],
  ['UTF-16, the other way round', Buffer.from(envelope('utf-16-be', '1'), 'utf16le').swap16()],
  ['Latin-1', Buffer.from(envelope('latin-1', '"ã"'), 'latin1')],
  ['prefixes against inclusion', `)]}',\n${envelope('prefix', '1')}`],
  ['two envelopes in lines', `${envelope('line-1', '1')}\n${envelope('line-2', '1')}`],
  ['a form', `payload=${encodeURIComponent(envelope('form', '1'))}`],
  ['JSON in a string', JSON.stringify(envelope('string', '1'))],
];

/** Bytes that are not valid UTF-8, but for the last. */
const strayBytes: Readonly<Record<string, readonly number[]>> = {
  'a lone continuation': [0x80],
  'a lone beginning': [0xc3],
  'an overlong slash': [0xc0, 0xaf],
  'an overlong NUL': [0xc0, 0x80],
  'a surrogate': [0xed, 0xa0, 0x80],
  'a pair of surrogates': [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  'beyond the last code point': [0xf4, 0x90, 0x80, 0x80],
  'five bytes': [0xf8, 0x88, 0x80, 0x80, 0x80],
  'a byte that is never used': [0xfe],
  'a quote in a long form': [0xe0, 0x80, 0xa2],
  'the last code point, which is UTF-8': [0xf4, 0x8f, 0xbf, 0xbf],
};

function nested(levels: number, open: string, close: string, innermost: string): string {
  return open.repeat(levels) + innermost + close.repeat(levels);
}

/** Nested values around the limit. The envelope and its data add two levels. */
function* depths(): Generator<SyntaxCase> {
  for (const levels of [60, 61, 62, 63, 64, 65, 1_000])
    for (const [name, open, close] of [
      ['lists', '[', ']'],
      ['objects', '{"a":', '}'],
      ['both', '[{"a":', '}]'],
    ] as const) {
      const times = name === 'both' ? Math.ceil(levels / 2) : levels;
      const text = `${name}-${String(levels)}`;
      yield [`${String(levels)} levels of ${text}`, envelope(text, nested(times, open, close, '1'))];
      yield [`${text} that are not closed`, envelope(`open-${text}`, nested(times, open, '', '1'))];
    }
  yield [
    'deep in what a later key replaces',
    envelope('deep-twice', `{"a":${nested(70, '[', ']', '')},"a":1}`),
  ];
  yield ['brackets in a key', envelope('deep-key', `{"${'[{'.repeat(100)}":1}`)];
}

function* handWritten(): Generator<SyntaxCase> {
  yield* whole;
  yield* depths();
  for (const [sort, values] of Object.entries(inPlaceOfAValue))
    for (const [at, value] of values.entries()) yield [value, envelope(`${sort}-${String(at)}`, value)];
  for (const [name, bytes] of Object.entries(strayBytes))
    yield [name, withBytes(envelope(name.replaceAll(' ', '-'), '"~"'), ...bytes)];
  for (const [at, space] of whiteSpace.entries())
    for (const [place, put] of Object.entries({
      before: (text: string) => space + text,
      behind: (text: string) => text + space,
      between: (text: string) => text.replace('"v":', `"v":${space}`),
      'in a string': (text: string) => text.replace('"v":1', `"v":"${space}"`),
    })) {
      const name = `space-${String(at)}-${place.replaceAll(' ', '-')}`;
      yield [`U+${(space.codePointAt(0) ?? 0).toString(16)} ${place}`, put(envelope(name, '1'))];
    }
  yield ['a key of a million characters', envelope('long-key', `{"${'k'.repeat(1_000_000)}":1}`)];
  yield ['a hundred thousand empty lists', envelope('lists', `[${'[],'.repeat(100_000)}0]`)];
  yield ['half a megabyte of spaces', envelope('spaces', `${' '.repeat(500_000)}1`)];
}

export const syntaxCases: readonly SyntaxCase[] = [...handWritten()];

/** Every proper prefix of a body. */
export function truncations(): readonly SyntaxCase[] {
  const bytes = Buffer.from(envelope('cut', '[1.5e3,"ã\\u00e3",{"a":[true,null]}]'));
  return Array.from(bytes, (_, length): SyntaxCase => [`${String(length)} bytes`, bytes.subarray(0, length)]);
}

/** Strings to insert into a body, or to replace a part of it. */
const slips = [
  ...',:[]{}"\'\\/-+.eE0 \n'.split(''),
  ...[
    '//c\n',
    '/*c*/',
    'NaN',
    'Infinity',
    '1e999',
    '\\u',
    '\\ud800',
    '\u0000',
    '\u001f',
    '\u2028',
    '\ufeff',
    '\u00a0',
    '__proto__',
  ],
].map((text) => Buffer.from(text));
const strays = Object.values(strayBytes).map((bytes) => Buffer.from(bytes));

/** Random values in random spellings. Two of three are mutated. */
export function* drawnSyntax({ between }: Draws, count: number): Generator<SyntaxCase> {
  for (let number = 0; number < count; number += 1) {
    const name = `drawn-${String(number).padStart(6, '0')}`;
    const body = Buffer.from(envelope(name, spelled(0)));
    yield [name, between(0, 2) === 0 ? body : slipped(body)];
  }

  function slipped(body: Buffer): Buffer {
    const at = between(0, body.length);
    const slip = oneOf(between(0, 5) === 0 ? strays : slips);
    // Removes up to two bytes, and inserts a string in three of four cases.
    const added = between(0, 3) === 0 ? Buffer.alloc(0) : slip;
    return Buffer.concat([
      body.subarray(0, at),
      added,
      body.subarray(at + between(added.length === 0 ? 1 : 0, 2)),
    ]);
  }

  function oneOf<T>(values: readonly T[]): T {
    return values[between(0, values.length - 1)] as T;
  }

  function space(): string {
    return oneOf(['', '', '', ' ', '\n', '\t', '\r\n  ']);
  }

  function spelled(level: number): string {
    const sort = between(0, level > 4 ? 3 : 6);
    if (sort === 0) return oneOf(['true', 'false', 'null']);
    if (sort === 1)
      return oneOf(['0', '-0', '1.50', '12E-1', '-1e+2', '9007199254740993', '1e308', '5e-324', '1e-999']);
    if (sort <= 3) return string();
    const parts = Array.from({ length: between(0, 4) }, () =>
      sort === 4
        ? `${space()}${spelled(level + 1)}${space()}`
        : `${space()}${string()}${space()}:${space()}${spelled(level + 1)}${space()}`,
    );
    return sort === 4 ? `[${parts.join()}]` : `{${parts.join()}}`;
  }

  function string(): string {
    const pieces = [
      'a',
      'ã',
      '\u{1f600}',
      '\\n',
      '\\"',
      '\\\\',
      '\\/',
      '\\u0000',
      '\\uD83D\\uDE00',
      '\\ud800',
      '\u202e',
      '__proto__',
      'id',
      '\u007f',
    ];
    return `"${Array.from({ length: between(0, 4) }, () => oneOf(pieces)).join('')}"`;
  }
}
