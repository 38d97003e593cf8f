import { describe, expect, test } from 'vitest';
import { isCrossOrigin, isLoopbackHost } from './browser-guard.ts';

describe('isCrossOrigin', () => {
  const host = 'localhost:8080';
  const check = (headers: { origin?: string; site?: string; host?: string }): boolean =>
    isCrossOrigin({ host, origin: undefined, site: undefined, ...headers });

  test('accepts a request with neither header: no browser sent it', () => {
    expect(check({})).toBe(false);
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
  ])('detects another origin: %j', (headers) => {
    expect(check(headers)).toBe(true);
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
  ])('accepts the same origin: %j', (headers) => {
    expect(check(headers)).toBe(false);
  });
});

describe('isLoopbackHost', () => {
  test.each([
    'localhost',
    'LOCALHOST:8080',
    '127.0.0.1',
    '127.0.0.1:8080',
    '127.8.7.6:80',
    '[::1]',
    '[::1]:8080',
  ])('accepts %s', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
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
  ])('rejects %j', (host) => {
    expect(isLoopbackHost(host)).toBe(false);
  });
});
