import type { Draws } from '../../kit/seed.ts';

const digits = (count: number, digit = '9'): string => digit.repeat(count);

/** Numbers at the limits of a double, with neighbours that are equal or different as doubles. */
export const numbers: readonly string[] = [
  ...['0', '-0', '0.0', '-0.0', '0e0', '-0e-5', '0E+10', '0e999999999', '0.000e-400', '1e-400', '-1e-400'],
  ...['1', '1.0', '1e0', '10e-1', '0.1e1', '1E+0', '1.000000000000000000000000000000000001'],
  ...[
    '0.1',
    '0.10',
    '1e-1',
    '0.1000000000000000055511151231257827',
    '0.10000000000000002',
    '0.09999999999999999',
  ],
  ...['0.3', '0.30000000000000004', '0.30000000000000001'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '9007199254740994', '9007199254740995'],
  ...[
    '-9007199254740991',
    '-9007199254740992',
    '-9007199254740993',
    '9007199254740992.0',
    '9.007199254740993e15',
  ],
  ...['9223372036854775807', '9223372036854775808', '18446744073709551615', '18446744073709551616'],
  ...['4294967295', '4294967296', '2147483648', '-2147483649'],
  ...['5e-324', '4.9e-324', '3e-324', '2.4703282292062327e-324', '2.4703282292062328e-324', '2e-324'],
  ...['2.2250738585072014e-308', '2.2250738585072011e-308', '2.225073858507201e-308'],
  ...[
    '1.7976931348623157e308',
    '1.7976931348623158e308',
    '1.7976931348623159e308',
    '1e308',
    '1e309',
    '-1e309',
  ],
  ...['1e400', '-1e400', '1e999999999999', '-1e999999999999', '1e-999999999999', `1e${digits(10_000)}`],
  ...[digits(308), digits(309), digits(310), `-${digits(400)}`, digits(900_000), digits(900_000, '8')],
  ...[`0.${digits(900_000, '0')}1`, `0.${digits(900_000, '1')}`, `0.${digits(900_001, '1')}`],
  ...[`1${digits(900_000, '0')}e-900000`, `1.${digits(900_000, '0')}`],
];

/** Strings that look like numbers but are not valid in JSON. */
export const noNumbers: readonly string[] = [
  ...[
    '00',
    '01',
    '-01',
    '00.1',
    '-',
    '--1',
    '+1',
    '+0',
    '.1',
    '-.1',
    '1.',
    '-1.',
    '1.e1',
    '1e',
    '1E',
    '1e+',
    '1e-',
  ],
  ...[
    '1e1.0',
    '1e1e1',
    '1ee1',
    '1.2.3',
    '1,2',
    '1_000',
    '1 000',
    '0x1F',
    '0o17',
    '0b1',
    '017',
    '1n',
    '1f',
    '1d',
    '1L',
  ],
  ...['NaN', '-NaN', 'nan', 'Infinity', '-Infinity', '+Infinity', 'inf', '1#INF', '∞', '١', '１', '½', '1e١'],
];

/** Several spellings of random doubles. */
export function* drawnNumbers({ between }: Draws, count: number): Generator<string> {
  const bits = new DataView(new ArrayBuffer(8));
  for (let number = 0; number < count; number += 1) {
    bits.setUint32(0, between(0, 0xffff_ffff));
    bits.setUint32(4, between(0, 0xffff_ffff));
    const value = bits.getFloat64(0);
    if (!Number.isFinite(value)) continue;
    yield value.toExponential(16);
    yield value.toExponential(between(17, 60));
    yield value.toExponential(20).toUpperCase().replace('E+', 'E+000');
    // Rounded to fewer digits, which may be another double.
    yield value.toExponential(between(10, 15));
    const small = between(-1_000_000, 1_000_000) / 1_000;
    yield String(small);
    yield `${String(small * 1_000)}e-3`;
    yield small.toFixed(between(3, 12));
  }
}
