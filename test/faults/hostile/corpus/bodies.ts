/** A hostile body and its expected status. */
export type HostileBody = readonly [name: string, status: number, body: string | Uint8Array];

const ADD = (data: string): string =>
  `{"type":"charge.updated","data":{"id":1,"type":"fee","status":"paid",${data}}}`;
const UNKNOWN = (data: string): string => `{"type":"any.thing","data":${data}}`;
const VALID = ADD('"amount":1');
const DEEP = 100_000;
const LARGE = 1_000_000;

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const members = (count: number, value: string): string =>
  Array.from({ length: count }, (_, at) => `"k${String(at)}":${value}`).join();

export const hostileBodies: readonly HostileBody[] = [
  ['__proto__ beside the data', 202, `{"__proto__":{"polluted":1},${VALID.slice(1)}`],
  ['__proto__ in the data', 202, ADD('"amount":2,"__proto__":{"polluted":1,"status":"paid"}')],
  ['__proto__ as the data', 202, UNKNOWN('{"__proto__":{"polluted":1,"id":7}}')],
  ['type and data by way of __proto__ only', 400, '{"__proto__":{"type":"charge.updated","data":{}}}'],
  ['constructor.prototype', 202, ADD('"constructor":{"prototype":{"polluted":1}}')],
  [
    'members named like methods',
    202,
    UNKNOWN('{"toString":1,"valueOf":2,"hasOwnProperty":3,"toJSON":4,"then":5,"length":-1}'),
  ],
  ['an id beyond 2^53', 422, VALID.replace('"id":1', '"id":9007199254740993')],
  ['a number beyond 2^53 that nobody knows', 202, ADD('"big":9007199254740993')],
  ['an amount of 1e400', 422, ADD('"amount":1e400')],
  ['1e400 where nobody knows it', 422, UNKNOWN('{"id":1e400,"n":[-1e400,1e-400,-0]}')],
  ['a million digits', 422, UNKNOWN(`{"n":${'9'.repeat(LARGE)}}`)],
  ['an exponent of a million digits', 202, UNKNOWN(`{"n":1e-${'9'.repeat(LARGE)}}`)],
  ['duplicate keys, the last one fits', 202, ADD('"amount":"none","amount":3')],
  ['duplicate keys, the last one does not', 422, ADD('"amount":4,"amount":"none"')],
  ['duplicate type and data', 202, `{"type":"odd","data":1,${ADD('"amount":5').slice(1)}`],
  ['a lone surrogate, escaped', 202, ADD('"amount":6,"note":"\\ud800"')],
  ['a lone surrogate in the type', 400, '{"type":"charge.\\udfff","data":{}}'],
  [
    'a lone surrogate, encoded',
    400,
    Buffer.from(ADD('"note":"~"').replace('~', '\u00ed\u00a0\u0080'), 'latin1'),
  ],
  ['keys that are surrogates', 202, UNKNOWN('{"\\ud800":1,"\\udc00":2,"\\udc00\\ud800":3}')],
  ['NUL, escaped', 202, ADD('"amount":7,"note":"a\\u0000b"')],
  ['NUL in the type', 400, '{"type":"charge\\u0000.updated","data":{}}'],
  ['NUL as it is, in a text', 400, ADD('"note":"a\u0000b"')],
  ['NUL after the body', 400, `${VALID}\u0000`],
  ['a byte order mark', 202, `\ufeff${ADD('"amount":8')}`],
  ['two byte order marks', 400, `\ufeff\ufeff${VALID}`],
  ['UTF-16', 400, Buffer.from(VALID, 'utf16le')],
  [
    'an overlong encoding',
    400,
    Buffer.concat([Buffer.from(VALID.slice(0, -2)), Buffer.from([0xc0, 0xaf]), Buffer.from('}}')]),
  ],
  ['nothing', 400, ''],
  ['white space alone', 400, ' \n\t\r '.repeat(50_000)],
  ['null', 400, 'null'],
  ['two bodies', 400, VALID + VALID],
  ['100,000 levels', 400, nested(DEEP)],
  ['100,000 levels in the data', 400, UNKNOWN(nested(DEEP))],
  ['100,000 levels that nobody closes', 400, UNKNOWN('['.repeat(DEEP))],
  ['100,000 levels of objects', 400, UNKNOWN('{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP))],
  ['a million opening brackets', 400, '['.repeat(LARGE)],
  ['100,000 brackets in a text', 202, UNKNOWN(`"${'['.repeat(DEEP)}"`)],
  ['62 levels in the data', 202, UNKNOWN(nested(62))],
  ['a text of a million characters', 202, ADD(`"amount":9,"note":"${'x'.repeat(LARGE)}"`)],
  ['a type of a million characters', 400, `{"type":"${'x'.repeat(LARGE)}","data":{}}`],
  ['an id of a million characters', 202, UNKNOWN(`{"id":"${'y'.repeat(LARGE)}"}`)],
  ['a million quotes, escaped', 202, UNKNOWN(`"${'\\"'.repeat(LARGE / 2)}"`)],
  ['a million backslashes, and no end', 400, UNKNOWN(`"${'\\'.repeat(LARGE)}`)],
  [
    'an instant of a million digits',
    422,
    `{"type":"company.updated","data":{"id":1,"updated_at":"${'2'.repeat(LARGE)}"}}`,
  ],
  ['a date of a million dashes', 422, ADD(`"date":"${'-'.repeat(LARGE)}"`)],
  ['80,000 members', 202, UNKNOWN(`{${members(80_000, '1')}}`)],
  [
    '80,000 members that do not fit',
    422,
    `{"type":"traffic-violation.indication.created","data":{"id":1,"status":"pending","vars":{${members(80_000, '1')}}}}`,
  ],
  ['80,000 times the same key', 202, UNKNOWN(`{${'"a":1,'.repeat(80_000)}"id":1}`)],
  ['half a million elements', 202, UNKNOWN(`[${'1,'.repeat(LARGE / 2 - 50)}1]`)],
  ['a list of a hundred thousand objects', 202, UNKNOWN(`[${'{"a":{}},'.repeat(100_000)}0]`)],
];
