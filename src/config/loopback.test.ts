import { describe, expect, it } from 'vitest';
import type { VerifyOptions } from '../verify/verify-options.ts';
import type { Config, ConfiguredSource } from './config.ts';
import { loadConfig } from './load-config.ts';
import { maySendSamples } from './loopback.ts';
import type { SignOnSettings } from '../access/sign-on.ts';

const unverified: VerifyOptions = { scheme: 'none', messageIdHeader: 'webhook-id' };
const verified: VerifyOptions = {
  scheme: 'token',
  header: 'x-webhook-token',
  secrets: ['0123456789abcdef'],
  messageIdHeader: 'webhook-id',
};
const signOn: SignOnSettings = { header: 'x-user', proxies: ['127.0.0.1'], users: new Map() };
const development = {
  samples: null,
  host: '127.0.0.1',
  ops: { host: 'localhost', port: 9090, token: null, viewToken: null, signOn: null, tokenSignIn: true },
  sources: new Map<string, ConfiguredSource>([['default', { verify: unverified }]]),
};

describe('samples may be sent', () => {
  it('without a setting where nothing is configured for production', () => {
    expect(maySendSamples(development)).toBe(true);
  });

  it.each<[string, Partial<Pick<Config, 'host' | 'ops' | 'sources'>>]>([
    ['the public port is reachable', { host: '0.0.0.0' }],
    ['the private port is reachable', { ops: { ...development.ops, host: '10.0.0.4' } }],
    ['the private port has a token', { ops: { ...development.ops, token: 'x'.repeat(32) } }],
    ['people sign in', { ops: { ...development.ops, signOn } }],
    ['a source is verified', { sources: new Map([...development.sources, ['erp', { verify: verified }]]) }],
  ])('not where %s, unless the setting allows it', (_what, production) => {
    const config = { ...development, ...production };
    expect(maySendSamples(config)).toBe(false);
    expect(maySendSamples({ ...config, samples: true })).toBe(true);
  });

  it('never where the setting forbids it', () => {
    expect(maySendSamples({ ...development, samples: false })).toBe(false);
  });

  it('as PORTARIA_SAMPLES says', () => {
    const samples = (env: Readonly<Record<string, string>>) => loadConfig(env, '/').samples;
    expect([
      samples({}),
      samples({ PORTARIA_SAMPLES: 'true' }),
      samples({ PORTARIA_SAMPLES: 'false' }),
    ]).toEqual([null, true, false]);
    expect(() => samples({ PORTARIA_SAMPLES: 'yes' })).toThrow(
      expect.objectContaining({
        problems: [{ where: 'PORTARIA_SAMPLES', message: 'must be one of true, false; got "yes"' }],
      }) as Error,
    );
  });
});
