import { expect, test } from 'vitest';
import { isLoopbackName } from './loopback-name.ts';

test.each([
  'localhost',
  'LOCALHOST:8080',
  '127.0.0.1',
  '127.0.0.1:8080',
  '127.8.7.6:80',
  '[::1]',
  '[::1]:8080',
])('%s is this machine', (host) => {
  expect(isLoopbackName(host)).toBe(true);
});

test.each([
  '',
  ':8080',
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '127.1',
  '::1',
  '[::2]',
  '192.168.0.7:8080',
  '0.0.0.0',
])('%j is not', (host) => {
  expect(isLoopbackName(host)).toBe(false);
});
