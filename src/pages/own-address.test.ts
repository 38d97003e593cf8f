import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ownAddress } from './own-address.ts';
import { propertyRuns } from '../../test/support/property-runs.ts';

it.each([
  ['/', '/'],
  ['/events?kind=charge.*&subject=company%3A12', '/events?kind=charge.*&subject=company%3A12'],
  ['/handlers#pauses', '/handlers#pauses'],
  ['/events/../jobs', '/jobs'],
  ['/search?q=Sação', '/search?q=Sa%C3%A7%C3%A3o'],
])('%j leads to %j', (given, address) => {
  expect(ownAddress(given)).toBe(address);
});

it.each([
  ...[null, '', 'events', '//evil.example', '/\\evil.example', '\\\\evil.example', 'https://evil.example'],
  ...['/\t/evil.example', '/\n/evil.example', '\t//evil.example', '/.//evil.example', '/..//evil.example'],
  ...['/a/..//evil.example', '/%2e//evil.example', '/\t\\evil.example', 'javascript:alert(1)', '//', '/\\'],
])('%j leads home', (given) => {
  expect(ownAddress(given)).toBe('/');
});

it('never leads to another origin, as a browser reads it, and fits in a header', () => {
  const part = fc.oneof(
    fc.constantFrom('/', '\\', '.', '\t', '\r', '\n', '%2e', '@', ':', '?', '#', 'evil'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const address = ownAddress(`/${parts.join('')}`);
      expect(new URL(address, 'http://own.example').origin).toBe('http://own.example');
      expect(address).toMatch(/^\/[\x21-\x7e]*$/u);
    }),
    { numRuns: propertyRuns(1000) },
  );
});
