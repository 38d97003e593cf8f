import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { manualClock, type ManualClock } from '../testing/manual-clock.ts';
import type { Scheme } from './scheme.ts';
import { standardScheme } from './standard-scheme.ts';

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

/** As a sender with the library signs it. */
function signed(key: Uint8Array, { at = NOW / 1000, id = 'msg_1', text = body.toString() } = {}) {
  const signature = new Webhook(key, { format: 'raw' }).sign(id, new Date(at * 1000), text);
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature };
}

const notVerified = (message: string): unknown => expect.objectContaining({ code: 'not-verified', message });
const doesNotFit = notVerified('No signature in webhook-signature fits the message');

test.each([
  ['the old', oldKey],
  ['the new', newKey],
])('what the library signed with %s secret is verified', (_name, key) => {
  expect(verifying(signed(key))).not.toThrow();
});

test('any text that the library signed is verified', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(verifying(signed(oldKey, { text }), Buffer.from(text))).not.toThrow();
    }),
  );
});

test('the bytes themselves are verified, also when they are not UTF-8', () => {
  function signBytes(bytes: Uint8Array): Headers {
    const mac = createHmac('sha256', oldKey)
      .update(`msg_1.${String(NOW / 1000)}.`)
      .update(bytes);
    return { ...signed(oldKey), 'webhook-signature': `v1,${mac.digest('base64')}` };
  }
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      // 0xfe and 0xff occur in no UTF-8: decoded, the two bodies would look the same.
      const sent = Uint8Array.from([...bytes, 0xfe]);
      const other = Uint8Array.from([...bytes, 0xff]);
      expect(verifying(signBytes(sent), sent)).not.toThrow();
      expect(verifying(signBytes(sent), other)).toThrow(doesNotFit);
    }),
  );
});

test('one of several signatures is enough, and those of other versions are passed over', () => {
  const headers = signed(newKey);
  const stranger = signed(Buffer.from('stranger'))['webhook-signature'];
  const withSignatures = (list: string): Headers => ({ ...headers, 'webhook-signature': list });

  expect(verifying(withSignatures(`v1a,AAAA ${stranger} ${headers['webhook-signature']}`))).not.toThrow();
  expect(verifying(withSignatures(`v1a,AAAA ${stranger}`))).toThrow(doesNotFit);
  expect(verifying(withSignatures('v1a,AAAA'))).toThrow(
    notVerified('The header webhook-signature holds no v1 signature'),
  );
});

test('ten signatures are looked at, and no more', () => {
  const headers = signed(newKey);
  const stranger = signed(Buffer.from('stranger'))['webhook-signature'];
  const behind = (count: number): Headers => ({
    ...headers,
    'webhook-signature': `v1a,AAAA ${`${stranger} `.repeat(count)}${headers['webhook-signature']}`,
  });

  expect(verifying(behind(9))).not.toThrow();
  expect(verifying(behind(10))).toThrow(doesNotFit);
});

test('two headers that were joined fit nothing, whichever came first', () => {
  const headers = signed(newKey);
  const good = headers['webhook-signature'];
  const stranger = signed(Buffer.from('stranger'))['webhook-signature'];
  for (const joined of [
    `${stranger}, ${good}`,
    `${good}, ${stranger}`,
    `${good}, ${good}`,
    `v1a,AAAA, ${good}`,
  ])
    expect(verifying({ ...headers, 'webhook-signature': joined })).toThrow(
      notVerified('The header webhook-signature was sent more than once; send it once'),
    );
});

test.each(['v1,', 'v1,AAAA', 'v1', 'v2,AAAA'])('%j is no v1 signature', (signature) => {
  expect(verifying({ ...signed(newKey), 'webhook-signature': signature })).toThrow(
    notVerified('The header webhook-signature holds no v1 signature'),
  );
});

test('id, time and body are all signed', () => {
  const headers = signed(oldKey);
  expect(verifying({ ...headers, 'webhook-id': 'msg_2' })).toThrow(doesNotFit);
  expect(verifying({ ...headers, 'webhook-timestamp': String(NOW / 1000 + 1) })).toThrow(doesNotFit);
  expect(verifying(headers, Buffer.from('{}'))).toThrow(doesNotFit);
});

const tooOld = notVerified('The header webhook-timestamp is too old: more than 300 seconds');
const tooNew = notVerified('The header webhook-timestamp is too far in the future: more than 300 seconds');

test.each([
  [-301, tooOld],
  [301, tooNew],
])('a message %i seconds from now is refused', (seconds, refusal) => {
  expect(verifying(signed(oldKey, { at: NOW / 1000 + seconds }))).toThrow(refusal);
});

test.each([-300, 300])('a message %i seconds from now is taken', (seconds) => {
  expect(verifying(signed(oldKey, { at: NOW / 1000 + seconds }))).not.toThrow();
});

test('the tolerance can be set, and is measured by the injected clock', () => {
  const clock = manualClock(NOW);
  const verify = scheme(clock, 10);
  clock.advance(10_000);
  expect(verifying(signed(oldKey), body, verify)).not.toThrow();
  clock.advance(1_000);
  expect(verifying(signed(oldKey), body, verify)).toThrow(
    notVerified('The header webhook-timestamp is too old: more than 10 seconds'),
  );
});

test.each(['12x', '-1', '1e9', '1763640000.5', ' 1763640000', '99999999999999999999'])(
  '%j is no timestamp',
  (value) => {
    expect(verifying({ ...signed(oldKey), 'webhook-timestamp': value })).toThrow(
      notVerified('The header webhook-timestamp must be seconds since 1970'),
    );
  },
);

test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('a missing %s is named', (name) => {
  const headers = Object.fromEntries(Object.entries(signed(oldKey)).filter(([key]) => key !== name));
  expect(verifying(headers)).toThrow(notVerified(`The header ${name} is missing`));
});

test.each(['whsec_', '', 'not base64!', 'whsec_ÄÖ'])('%j is no secret, and its place is named', (secret) => {
  const options = {
    scheme: 'standard',
    secrets: [...secrets, secret],
    messageIdHeader: 'webhook-id',
  } as const;
  expect(() => standardScheme(options, manualClock(NOW))).toThrow(
    expect.objectContaining({ code: 'misconfigured', message: expect.stringMatching(/^Secret 3 /) }),
  );
});
