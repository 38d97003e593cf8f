import { expect, test } from 'vitest';
import { applicationName } from './client.ts';

test('a connection is named after its purpose and its process', () => {
  expect(applicationName('accept', 'fleet-1', 4711)).toBe('portaria accept fleet-1:4711');
});

test('a long name of a host is cut, and the process stays', () => {
  const name = applicationName('dispatch', 'a'.repeat(300), 4_194_304);
  expect(Buffer.byteLength(name)).toBe(63);
  expect(name).toMatch(/^portaria dispatch a+:4194304$/u);
});

test('other characters than those of ASCII are replaced', () => {
  expect(applicationName('read', 'frota são 1', 7)).toBe('portaria read frota?s?o?1:7');
});
