/** How senders prove themselves, in the settings: one description, all mistakes at once, and the strength of secrets. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf } from '../../test/support/setting-problems.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { loadConfig } from './load-config.ts';

const SECRET = 'b7c1d1a9e5f04c22';
const pem = (): string =>
  generateKeyPairSync('ed25519').publicKey.export({ format: 'pem', type: 'spki' }).toString();
const template = { scheme: 'signed', header: 'x-sig', signs: '{body}', algorithm: 'sha256' };
const ed25519 = { ...template, algorithm: 'ed25519' };

function verifyOf(env: Readonly<Record<string, string>>, source = 'default') {
  return loadConfig(env, '/srv').sources.get(source)?.verify;
}

const source = (verify: unknown, more: object = { secrets: [SECRET] }) => ({
  PORTARIA_SOURCES: JSON.stringify({ shop: { verify, ...more } }),
});

test('PORTARIA_VERIFY and PORTARIA_SOURCES take a name or an object', () => {
  const expected = { scheme: 'signed', header: 'x-sig', secrets: [SECRET], toleranceSeconds: 300 };
  const env = { PORTARIA_VERIFY: JSON.stringify(template), PORTARIA_SECRETS: SECRET };
  expect(verifyOf(env)).toMatchObject(expected);
  expect(verifyOf(source(template), 'shop')).toMatchObject(expected);
  expect(verifyOf({ PORTARIA_VERIFY: 'stripe', PORTARIA_SECRETS: SECRET })).toMatchObject({
    preset: 'stripe',
  });
  expect(verifyOf(source('asaas'), 'shop')).toMatchObject({ scheme: 'token', header: 'asaas-access-token' });
});

test('the header of the message id is the own one, that of the sender, or the usual one', () => {
  const secrets = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'];
  const usual = { PORTARIA_MESSAGE_ID_HEADER: 'x-usual' };
  expect(verifyOf({ ...source('svix', { secrets }), ...usual }, 'shop')).toMatchObject({
    messageIdHeader: 'svix-id',
  });
  const own = source('svix', { secrets, messageIdHeader: 'x-own' });
  expect(verifyOf({ ...own, ...usual }, 'shop')).toMatchObject({ messageIdHeader: 'x-own' });
  expect(verifyOf({ ...source('github'), ...usual }, 'shop')).toMatchObject({ messageIdHeader: 'x-usual' });
});

test('every mistake names its field and its remedy', () => {
  const bad = { ...template, signs: '{timestamp}', reads: '{signatur}' };
  expect(problemsOf({ PORTARIA_VERIFY: JSON.stringify(bad), PORTARIA_SECRETS: SECRET })).toEqual({
    'PORTARIA_VERIFY.reads': expect.stringContaining('did you mean {signature}?'),
    'PORTARIA_VERIFY.signs': expect.stringContaining('does not cover {body}'),
  });
  expect(problemsOf(source({ ...template, algorithm: 'md5', singns: 1 }))).toEqual({
    'PORTARIA_SOURCES.shop.verify.algorithm': expect.stringContaining('must be one of sha1, sha256'),
    'PORTARIA_SOURCES.shop.verify.singns': expect.stringContaining('did you mean signs?'),
  });
  expect(problemsOf(source('strip'))).toEqual({
    'PORTARIA_SOURCES.shop.verify': expect.stringContaining('did you mean stripe?'),
  });
  expect(problemsOf({ PORTARIA_VERIFY: '{"scheme":', PORTARIA_SECRETS: SECRET })).toEqual({
    PORTARIA_VERIFY: expect.stringContaining('must be a JSON object'),
  });
  expect(problemsOf(source(template, { secrets: [SECRET], header: 'x-other' }))).toEqual({
    'PORTARIA_SOURCES.shop.header': expect.stringContaining('belongs into PORTARIA_SOURCES.shop.verify'),
  });
});

test.each([
  ['basic', 'ana', /^secret 1 must be user:password$/],
  ['basic', 'ana:short', /^secret 1 is shorter than 16 bytes, and other machines/],
  ['jwt', 'short', /^secret 1 is shorter/],
  ['stripe', 'short', /^secret 1 is shorter/],
  ['svix', 'not base64!', /^secret 1 must be base64/],
  ['standard', 'whpk_short', /^secret 1 must be a public key/],
  ['jwt', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', /^secret 1 must be a public key/],
  [{ ...template, key: 'hex' }, 'xyz', /^secret 1 must be hex/],
  [{ ...template, key: 'hex' }, 'abcd', /^secret 1 is shorter/],
  [ed25519, SECRET, /^secret 1 must be a public key, as PEM, whpk_… or 32 bytes in hex$/],
  [
    { ...template, algorithm: 'rsa-sha256' },
    pem(),
    /^secret 1 is a key of ed25519, which does not verify rsa-sha256$/,
  ],
])('%j does not take the secret %j', (verify, secret, problem) => {
  const problems = problemsOf({
    ...{ PORTARIA_HOST: '0.0.0.0', PORTARIA_VERIFY: 'none' },
    ...source(verify, { secrets: [secret] }),
  });
  expect(problems).toEqual({ 'PORTARIA_SOURCES.shop.secrets': expect.stringMatching(problem) });
});

test('a private key is never a public one', () => {
  const key = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  expect(problemsOf(source(ed25519, { secrets: [key] }))).toEqual({
    'PORTARIA_SOURCES.shop.secrets': expect.stringContaining('is a private key'),
  });
});

test('keys in PEM are one secret each, in files and lists', () => {
  const keys = [pem().trim(), pem().trim()];
  const secretsFile = join(temporaryFolder(), 'keys.pem');
  writeFileSync(secretsFile, `${keys.join('\n')}\n`);
  expect(verifyOf(source(ed25519, { secretsFile }), 'shop')).toMatchObject({ secrets: keys });
  const verify = JSON.stringify(ed25519);
  for (const separator of [',', '\n', ' , '])
    expect(verifyOf({ PORTARIA_VERIFY: verify, PORTARIA_SECRETS: keys.join(separator) })).toMatchObject({
      secrets: keys,
    });
});

test('a warning says that Mercado Pago does not sign the body', () => {
  expect(loadConfig(source('mercado-pago'), '/srv').warnings).toEqual([
    expect.stringMatching(
      /^PORTARIA_SOURCES\.shop\.verify: Mercado Pago signs .* another body with its proof/,
    ),
  ]);
  expect(loadConfig(source('stripe'), '/srv').warnings).toEqual([]);
});
