import { expect, test } from 'vitest';
import { isForeignPage } from './foreign-page.ts';

const host = 'localhost:8080';
const isForeign = (headers: { origin?: string; site?: string; host?: string }): boolean =>
  isForeignPage({ host, origin: undefined, site: undefined, ...headers });

test('a program that is no browser sends neither header', () => {
  expect(isForeign({})).toBe(false);
});

test.each([
  { site: 'cross-site' },
  { site: 'same-site' },
  { site: 'same-site', origin: 'http://localhost:3000' },
  { site: 'cross-site', origin: 'http://localhost:8080' },
  { site: '' },
  { site: 'whatever-comes-next' },
  { origin: 'https://evil.example' },
  { origin: 'http://localhost' },
  { origin: 'http://localhost:3000' },
  { origin: 'http://127.0.0.1:8080' },
  { origin: 'http://localhost:8080.evil.example' },
  { origin: 'null' },
  { origin: '' },
  { origin: 'file://' },
  { origin: 'http://localhost:8080, https://evil.example' },
  { site: 'none', origin: 'https://evil.example' },
  { origin: 'http://localhost:8080', host: '' },
])('%j is a page of another origin', (headers) => {
  expect(isForeign(headers)).toBe(true);
});

test.each([
  { site: 'same-origin' },
  { site: 'none' },
  { origin: 'http://localhost:8080' },
  { origin: 'http://LOCALHOST:8080' },
  { origin: 'http://localhost', host: 'localhost:80' },
  { origin: 'https://ops.example', host: 'ops.example' },
  { origin: 'http://[::1]:8080', host: '[::1]:8080' },
  { site: 'same-origin', origin: 'https://ops.example', host: '127.0.0.1:9090' },
])('%j is not', (headers) => {
  expect(isForeign(headers)).toBe(false);
});
