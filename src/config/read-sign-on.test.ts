import { describe, expect, it } from 'vitest';
import { PortariaError } from '../kernel/errors.ts';
import { loadConfig } from './load-config.ts';

const minimal = { PORTARIA_OPS_USER_HEADER: 'X-Forwarded-User', PORTARIA_OPS_PROXIES: '127.0.0.1' };

const opsOf = (env: Readonly<Record<string, string>>) => loadConfig(env, '/').ops;

function problemsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    loadConfig(env, '/');
  } catch (error) {
    if (PortariaError.is(error, 'misconfigured'))
      return error.problems.map(({ where, message }) => `${where}: ${message}`);
    throw error;
  }
  return [];
}

describe('single sign-on', () => {
  it('is off unless a header is named', () => {
    expect(opsOf({})).toMatchObject({ signOn: null, tokenSignIn: true });
  });

  it('lets everybody whom the proxy names read, unless it says otherwise', () => {
    const { signOn } = opsOf(minimal);
    expect(signOn).toEqual({
      header: 'x-forwarded-user',
      proxies: ['127.0.0.1'],
      users: new Map([['*', ['view']]]),
    });
  });

  it('reads proxies and roles; whoever acts may read', () => {
    const { signOn } = opsOf({
      ...minimal,
      PORTARIA_OPS_PROXIES: '10.0.0.0/24, fd00::/8 ,192.168.1.7',
      PORTARIA_OPS_USERS: 'ana@example.com:operate,unmask; realm:bob:view;\n*:view',
    });
    expect(signOn?.proxies).toEqual(['10.0.0.0/24', 'fd00::/8', '192.168.1.7']);
    expect([...(signOn?.users ?? [])]).toEqual([
      ['ana@example.com', ['view', 'operate', 'unmask']],
      ['realm:bob', ['view']],
      ['*', ['view']],
    ]);
  });

  it('replaces the token on an address that other machines reach', () => {
    expect(problemsOf({ ...minimal, PORTARIA_OPS_HOST: '0.0.0.0' })).toEqual([]);
  });

  it('can be the only sign-in', () => {
    expect(opsOf({ ...minimal, PORTARIA_OPS_TOKEN_SIGN_IN: 'false' }).tokenSignIn).toBe(false);
  });
});

describe('mistakes', () => {
  it.each([
    [
      { PORTARIA_OPS_USER_HEADER: 'x-user' },
      'PORTARIA_OPS_PROXIES: is missing: everybody who reaches the port could write the header',
    ],
    [
      { PORTARIA_OPS_PROXIES: '10.0.0.7' },
      'PORTARIA_OPS_PROXIES: has no effect without PORTARIA_OPS_USER_HEADER',
    ],
    [{ PORTARIA_OPS_USERS: '*:view' }, 'PORTARIA_OPS_USERS: has no effect without PORTARIA_OPS_USER_HEADER'],
    [
      { PORTARIA_OPS_TOKEN_SIGN_IN: 'false' },
      'PORTARIA_OPS_TOKEN_SIGN_IN: is false, and nobody could sign in',
    ],
  ] as const)('%j: %s', (env, problem) => {
    expect(problemsOf(env)).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    ['USER_HEADER', 'host', 'host has another meaning'],
    ['PROXIES', 'proxy.local', '"proxy.local" is neither an address nor a network'],
    ['PROXIES', '10.0.0.0/33', '"10.0.0.0/33" has no valid prefix'],
    ['PROXIES', '10.0.0.0/', '"10.0.0.0/" has no valid prefix'],
    ['PROXIES', '0.0.0.0/0', '"0.0.0.0/0" is every address'],
    ['PROXIES', '::/0', '"::/0" is every address'],
    ['PROXIES', '::ffff:0:0/96', '"::ffff:0:0/96" is every address'],
    ['PROXIES', '::/1', '"::/1" is every address'],
    ['PROXIES', ' , ', 'is missing'],
    ['USERS', 'ana', '"ana" is not of the form name:roles'],
    ['USERS', 'ana:', '"ana:" is not of the form name:roles'],
    ['USERS', ':view', '":view" is not of the form name:roles'],
    ['USERS', 'ana:admin', '"ana:admin" has the unknown role "admin"; roles are view, operate, unmask'],
    ['USERS', 'ana:view;ana:operate', 'names "ana" twice'],
    ['USERS', ';', 'names nobody'],
  ])('PORTARIA_OPS_%s=%j %s', (name, value, problem) => {
    const setting = `PORTARIA_OPS_${name}`;
    const found = problemsOf({ ...minimal, [setting]: value });
    expect(found).toEqual([expect.stringContaining(`${setting}: ${problem}`)]);
  });

  it('are all reported at once', () => {
    const env = {
      ...minimal,
      PORTARIA_OPS_USER_HEADER: 'cookie',
      PORTARIA_OPS_PROXIES: 'nowhere,0.0.0.0/0',
      PORTARIA_OPS_USERS: 'ana:root',
    };
    expect(problemsOf(env)).toHaveLength(4);
  });

  it('an invalid header is one problem, not also a missing one', () => {
    const found = problemsOf({ PORTARIA_OPS_USER_HEADER: 'x user', PORTARIA_OPS_PROXIES: '10.0.0.7' });
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('must be the name of an HTTP header');
  });
});
