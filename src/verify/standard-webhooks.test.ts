import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { manualClock, type ManualClock } from '../testing/manual-clock.ts';
import { standardScheme } from './standard-webhooks.ts';
import type { Scheme } from './verify-options.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const oldKey = Buffer.from('an old key of some length');
const newKey = Buffer.from('a new key of other length');
const secrets = [`whsec_${oldKey.toString('base64')}`, newKey.toString('base64')];
const body = Buffer.from('{"type":"charge.created","data":{"id":1}}');

type Headers = Readonly<Record<string, string>>;

function scheme(clock: ManualClock = manualClock(NOW), toleranceSeconds?: number): Scheme {
  const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds };
  return standardScheme({ scheme: 'standard', secrets, messageIdHeader: 'webhook-id', ...tolerance }, clock);
}

function verifying(headers: Headers, bytes: Uint8Array = body, verify = scheme()): () => void {
  return () => {
    verify({ stage: 'raw', source: 'default', receivedAt: NOW, headers, body: bytes });
  };
}

/** Signs with the standard's own library. */
function signed(key: Uint8Array, { at = NOW / 1000, id = 'msg_1', text = body.toString() } = {}) {
  const signature = new Webhook(key, { format: 'raw' }).sign(id, new Date(at * 1000), text);
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature };
}

const notVerified = (message: string): unknown => expect.objectContaining({ code: 'not-verified', message });
const doesNotMatch = notVerified('No signature in webhook-signature matches the message');

test.each([
  ['the old', oldKey],
  ['the new', newKey],
])('accepts what the library signed with %s secret', (_name, key) => {
  expect(verifying(signed(key))).not.toThrow();
});

test('accepts any text that the library signed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(verifying(signed(oldKey, { text }), Buffer.from(text))).not.toThrow();
    }),
  );
});

test('verifies the bytes themselves, also when they are not UTF-8', () => {
  function signBytes(bytes: Uint8Array): Headers {
    const mac = createHmac('sha256', oldKey)
      .update(`msg_1.${String(NOW / 1000)}.`)
      .update(bytes);
    return { ...signed(oldKey), 'webhook-signature': `v1,${mac.digest('base64')}` };
  }
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      // UTF-8 never contains 0xfe and 0xff: decoded, the two bodies would be equal.
      const sent = Uint8Array.from([...bytes, 0xfe]);
      const other = Uint8Array.from([...bytes, 0xff]);
      expect(verifying(signBytes(sent), sent)).not.toThrow();
      expect(verifying(signBytes(sent), other)).toThrow(doesNotMatch);
    }),
  );
});

test('accepts one of several signatures, and skips those of other versions', () => {
  const headers = signed(newKey);
  const unknown = signed(Buffer.from('unknown'))['webhook-signature'];
  const withSignatures = (list: string): Headers => ({ ...headers, 'webhook-signature': list });

  expect(verifying(withSignatures(`v1a,AAAA ${unknown} ${headers['webhook-signature']}`))).not.toThrow();
  expect(verifying(withSignatures(`v1a,AAAA ${unknown}`))).toThrow(doesNotMatch);
  expect(verifying(withSignatures('v1a,AAAA'))).toThrow(
    notVerified('The header webhook-signature contains no v1 signature'),
  );
});

test('checks the first ten signatures', () => {
  const headers = signed(newKey);
  const unknown = signed(Buffer.from('unknown'))['webhook-signature'];
  const signatureAfter = (count: number): Headers => ({
    ...headers,
    'webhook-signature': `v1a,AAAA ${`${unknown} `.repeat(count)}${headers['webhook-signature']}`,
  });

  expect(verifying(signatureAfter(9))).not.toThrow();
  expect(verifying(signatureAfter(10))).toThrow(doesNotMatch);
});

test('rejects two headers that Node joined, in any order', () => {
  const headers = signed(newKey);
  const good = headers['webhook-signature'];
  const unknown = signed(Buffer.from('unknown'))['webhook-signature'];
  for (const joined of [
    `${unknown}, ${good}`,
    `${good}, ${unknown}`,
    `${good}, ${good}`,
    `v1a,AAAA, ${good}`,
  ])
    expect(verifying({ ...headers, 'webhook-signature': joined })).toThrow(
      notVerified('The header webhook-signature was sent more than once; send it once'),
    );
});

test.each(['v1,', 'v1,AAAA', 'v1', 'v2,AAAA'])('rejects %j, which is not a v1 signature', (signature) => {
  expect(verifying({ ...signed(newKey), 'webhook-signature': signature })).toThrow(
    notVerified('The header webhook-signature contains no v1 signature'),
  );
});

test('verifies id, time and body', () => {
  const headers = signed(oldKey);
  expect(verifying({ ...headers, 'webhook-id': 'msg_2' })).toThrow(doesNotMatch);
  expect(verifying({ ...headers, 'webhook-timestamp': String(NOW / 1000 + 1) })).toThrow(doesNotMatch);
  expect(verifying(headers, Buffer.from('{}'))).toThrow(doesNotMatch);
});

const tooOld = notVerified('The header webhook-timestamp is too old: by 301 seconds, more than 300');
const tooNew = notVerified(
  'The header webhook-timestamp is too far in the future: by 301 seconds, more than 300',
);

test.each([
  [-301, tooOld, 'too-old'],
  [301, tooNew, 'too-new'],
])('rejects a message %i seconds from now', (seconds, error, reason) => {
  const verify = verifying(signed(oldKey, { at: NOW / 1000 + seconds }));
  expect(verify).toThrow(error);
  expect(verify).toThrow(expect.objectContaining({ reason, clockSeconds: Math.abs(seconds) }) as Error);
});

test.each([-300, 300])('accepts a message %i seconds from now', (seconds) => {
  expect(verifying(signed(oldKey, { at: NOW / 1000 + seconds }))).not.toThrow();
});

test('measures a configured tolerance by the injected clock', () => {
  const clock = manualClock(NOW);
  const verify = scheme(clock, 10);
  clock.advance(10_000);
  expect(verifying(signed(oldKey), body, verify)).not.toThrow();
  clock.advance(1_000);
  expect(verifying(signed(oldKey), body, verify)).toThrow(
    notVerified('The header webhook-timestamp is too old: by 11 seconds, more than 10'),
  );
});

test.each(['12x', '-1', '1e9', '1763640000.5', ' 1763640000', '99999999999999999999'])(
  'rejects the timestamp %j',
  (value) => {
    expect(verifying({ ...signed(oldKey), 'webhook-timestamp': value })).toThrow(
      notVerified('The header webhook-timestamp must be seconds since 1970'),
    );
  },
);

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('names a missing %s', (name) => {
  const headers = Object.fromEntries(Object.entries(signed(oldKey)).filter(([key]) => key !== name));
  expect(verifying(headers)).toThrow(notVerified(`The header ${name} is missing`));
});

test.each(['whsec_', '', 'not base64!', 'whsec_ÄÖ'])(
  'rejects the secret %j, and names its place',
  (secret) => {
    const options = {
      scheme: 'standard',
      secrets: [...secrets, secret],
      messageIdHeader: 'webhook-id',
    } as const;
    expect(() => standardScheme(options, manualClock(NOW))).toThrow(
      expect.objectContaining({ code: 'misconfigured', message: expect.stringMatching(/^Secret 3 /) }),
    );
  },
);
