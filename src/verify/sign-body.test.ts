import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import type { RawDelivery } from '../event/delivery.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createVerifier } from './create-verifier.ts';
import { readProof } from './read-proof.ts';
import { signingHeaders, signingQuery } from './sign-body.ts';
import type { VerifyOptions } from './verify-options.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const body = Buffer.from('{"type":"charge.created","data":{"id":1}}');
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

function optionsOf(verify: unknown, secrets: readonly string[]): VerifyOptions {
  const { proof } = readProof(verify);
  return { ...proof, secrets, messageIdHeader: 'webhook-id' } as VerifyOptions;
}

const signed = { scheme: 'signed', header: 'x-sig', algorithm: 'sha512', encoding: 'base64url' };

test.each([
  ...['none', 'token', 'hmac', 'standard', 'jwt', 'stripe', 'slack', 'github', 'shopify', 'svix', 'zoom'],
  ...['mercado-pago', 'asaas', 'basic'],
  { scheme: 'token', query: 'key' },
  { scheme: 'jwt', iss: 'a', aud: 'b', bodyHash: { claim: 'hash' } },
  { ...signed, reads: 'id={id},t={timestamp},s={signature}', signs: '{id}{timestamp} {method} {path}{body}' },
  { ...signed, signs: '{header:x-a}|{query:b}|{url}|{body}' },
])('a sender by %j is verified', async (verify) => {
  const options = optionsOf(verify, [verify === 'basic' ? `ana:${secret}` : secret]);
  const url = new URL('http://127.0.0.1:8080/webhooks/partner');
  for (const [name, value] of Object.entries(signingQuery(options))) url.searchParams.set(name, value);
  const delivery: RawDelivery = {
    ...{ stage: 'raw', source: 'partner', receivedAt: NOW, body, method: 'POST', path: url.pathname },
    ...{ search: url.search, query: Object.fromEntries(url.searchParams) },
    headers: { host: url.host, ...signingHeaders(options, body, { id: 'msg_1', now: NOW, url }) },
  };
  const verified = await createVerifier(options, { clock: manualClock(NOW) })(delivery);
  expect(verified.senderVerified).toBe(verify !== 'none');
});

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ format: 'pem', type: 'spki' })
  .toString();

test.each([
  [{ ...signed, signs: '{body}', algorithm: 'rsa-sha256' }, pem],
  ['jwt', pem],
  ['standard', `whpk_${Buffer.alloc(32, 7).toString('base64')}`],
  [() => true, secret],
])('of what only the sender can sign, it says so', (verify, key) => {
  expect(() => signingHeaders(optionsOf(verify, [key]), body, { id: 'msg_1', now: NOW })).toThrow(
    /^Only the sender of this source can sign/,
  );
});
