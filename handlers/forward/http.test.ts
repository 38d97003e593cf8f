import { expect, it } from 'vitest';
import { headerValue } from './http.ts';

it.each([
  ['charge.updated', 'charge.updated'],
  ['company:12', 'company:12'],
  ['a b~!"#$&', 'a b~!"#$&'],
  ['100%', '100%25'],
  ['ção 🚗', '%C3%A7%C3%A3o %F0%9F%9A%97'],
  ['x\r\nx-admin: 1', 'x%0D%0Ax-admin: 1'],
  ['\0\x7f', '%00%7F'],
  ['\ud800', '%EF%BF%BD'],
])('encodes %j as the header value %s', (value, header) => {
  expect(headerValue(value)).toBe(header);
  expect(new Headers({ name: header }).get('name')).toBe(header);
});

it('truncates a value that servers would reject', () => {
  expect(headerValue('k'.repeat(100_000))).toHaveLength(512);
});
