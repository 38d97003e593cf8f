import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RawDelivery } from '../event/delivery.ts';
import { hmacScheme } from './create-verifier.ts';

const header = 'x-webhook-signature';
const verify = hmacScheme({
  scheme: 'hmac',
  header,
  secrets: ['old', 'new'],
  messageIdHeader: 'webhook-id',
});

const body = Buffer.from('{"type":"charge.created","data":{"id":1}}');

function verifying(signature: string, bytes: Uint8Array = body): () => void {
  const headers: Readonly<Record<string, string>> = { [header]: signature };
  const delivery: RawDelivery = { stage: 'raw', source: 'default', receivedAt: 0, headers, body: bytes };
  return () => {
    verify(delivery);
  };
}

function sign(secret: string, bytes: Uint8Array = body): Buffer {
  return createHmac('sha256', secret).update(bytes).digest();
}

function flipBit(bytes: Uint8Array, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

const notVerified = (message: string): unknown => expect.objectContaining({ code: 'not-verified', message });
const doesNotMatch = notVerified('The signature in the header x-webhook-signature does not match the body');
const noSignature = notVerified(
  'The header x-webhook-signature must contain one HMAC-SHA-256, in hex or base64',
);

const encodings: readonly (readonly [string, (mac: Buffer) => string])[] = [
  ['hex', (mac) => mac.toString('hex')],
  ['hex in capitals', (mac) => mac.toString('hex').toUpperCase()],
  ['base64', (mac) => mac.toString('base64')],
  ['base64 without padding', (mac) => mac.toString('base64').replace('=', '')],
  ['url-safe base64', (mac) => mac.toString('base64url')],
  ['hex after sha256=', (mac) => `sha256=${mac.toString('hex')}`],
  ['base64 after sha256=', (mac) => `sha256=${mac.toString('base64')}`],
];

test.each(encodings)('accepts %s of any body, under any of the secrets', (_name, encode) => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.constantFrom('old', 'new'), (bytes, secret) => {
      expect(verifying(encode(sign(secret, bytes)), bytes)).not.toThrow();
    }),
  );
});

test.each(encodings)('rejects %s of another body or under another secret', (_name, encode) => {
  for (const mac of [sign('old', Buffer.from('other')), sign('unknown'), sign('')])
    expect(verifying(encode(mac))).toThrow(doesNotMatch);
});

test('rejects a changed bit anywhere in body or signature', () => {
  const mac = sign('old');
  for (let at = 0; at < body.length; at += 1)
    expect(verifying(mac.toString('hex'), flipBit(body, at))).toThrow(doesNotMatch);
  for (let at = 0; at < mac.length; at += 1)
    expect(verifying(flipBit(mac, at).toString('base64'))).toThrow(doesNotMatch);
});

test.each([
  'nonsense',
  'sha1=da39a3ee5e6b4b0d3255bfef95601890afd80709',
  sign('old').toString('hex').slice(1),
  `${sign('old').toString('hex')}00`,
  `${sign('old').toString('hex')}, ${sign('old').toString('hex')}`,
  `${sign('old').toString('base64')}=`,
  'sha256=',
])('rejects %j, which is not a signature', (value) => {
  expect(verifying(value)).toThrow(noSignature);
});

test('verifies an empty body', () => {
  const empty = Buffer.alloc(0);
  expect(verifying(sign('old', empty).toString('hex'), empty)).not.toThrow();
  expect(verifying(sign('old').toString('hex'), empty)).toThrow(doesNotMatch);
});

test('rejects a plain hash of the body', () => {
  expect(verifying(createHash('sha256').update(body).digest('hex'))).toThrow(doesNotMatch);
});

test('names an empty header', () => {
  expect(verifying('')).toThrow(notVerified('The header x-webhook-signature is empty'));
});
