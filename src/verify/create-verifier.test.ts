import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { RawDelivery } from '../event/raw-delivery.ts';
import { PortariaError } from '../kernel/errors.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createVerifier } from './create-verifier.ts';
import type { Verifier } from './verifier.ts';
import type { VerifyOptions } from './verify-options.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const clock = manualClock(NOW);
const messageIdHeader = 'webhook-id';
const body = Buffer.from('{"type":"charge.created","data":{"id":1}}');

function delivery(headers: Readonly<Record<string, string>> = {}, bytes: Uint8Array = body): RawDelivery {
  return { stage: 'raw', source: 'default', receivedAt: NOW, headers, body: bytes };
}

function verifier(options: VerifyOptions): Verifier {
  return createVerifier(options, { clock });
}

/** The message of the refusal; fails when there is none. */
function refusal(verify: Verifier, given: RawDelivery): string {
  try {
    verify(given);
  } catch (error) {
    if (PortariaError.is(error, 'not-verified')) return error.message;
    throw error;
  }
  throw new Error('was verified');
}

describe('scheme none', () => {
  const verify = verifier({ scheme: 'none', messageIdHeader });

  test('anybody may send', () => {
    expect(verify(delivery())).toEqual({
      stage: 'verified',
      source: 'default',
      receivedAt: NOW,
      headers: {},
      body,
      messageId: null,
    });
  });
});

describe('scheme token', () => {
  const header = 'x-webhook-token';
  const verify = verifier({ scheme: 'token', header, secrets: ['old', 'new-é'], messageIdHeader });

  test.each(['old', Buffer.from('new-é').toString('latin1')])('takes any of the secrets', (token) => {
    expect(verify(delivery({ [header]: token })).stage).toBe('verified');
  });

  test.each(['ol', 'older', 'OLD', 'new', 'old, old', 'old,new-é', ' old', 'undefined'])(
    'refuses %j without telling what would fit',
    (token) => {
      const message = refusal(verify, delivery({ [header]: token }));
      expect(message).toBe('The token in the header x-webhook-token is not a known one');
    },
  );

  test('names the header that is missing or empty', () => {
    expect(refusal(verify, delivery())).toBe('The header x-webhook-token is missing');
    expect(refusal(verify, delivery({ [header]: '' }))).toBe('The header x-webhook-token is empty');
  });

  test('takes the secret from its own header only', () => {
    expect(refusal(verify, delivery({ 'x-webhook-signature': 'old' }))).toContain('is missing');
  });
});

describe('scheme hmac', () => {
  const header = 'x-webhook-signature';
  const verify = verifier({ scheme: 'hmac', header, secrets: ['old', 'new'], messageIdHeader });
  const sign = (secret: string, bytes: Uint8Array = body): Buffer =>
    createHmac('sha256', secret).update(bytes).digest();

  const spellings: readonly (readonly [string, (mac: Buffer) => string])[] = [
    ['hex', (mac) => mac.toString('hex')],
    ['hex in capitals', (mac) => mac.toString('hex').toUpperCase()],
    ['base64', (mac) => mac.toString('base64')],
    ['base64 without padding', (mac) => mac.toString('base64').replace('=', '')],
    ['url-safe base64', (mac) => mac.toString('base64url')],
    ['hex after sha256=', (mac) => `sha256=${mac.toString('hex')}`],
    ['base64 after sha256=', (mac) => `sha256=${mac.toString('base64')}`],
  ];

  test.each(spellings)('takes %s of any bytes, under any of the secrets', (_name, spell) => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('old', 'new'), (bytes, secret) => {
        const headers = { [header]: spell(sign(secret, bytes)) };
        expect(verify(delivery(headers, bytes)).body).toBe(bytes);
      }),
    );
  });

  test.each(spellings)('refuses %s of another body or under another secret', (_name, spell) => {
    for (const mac of [sign('old', Buffer.from('other')), sign('stranger'), sign('')])
      expect(refusal(verify, delivery({ [header]: spell(mac) }))).toBe(
        'The signature in the header x-webhook-signature does not fit the body',
      );
  });

  test('a changed bit anywhere in body or signature is refused', () => {
    const mac = sign('old');
    for (let at = 0; at < body.length; at += 1) {
      const changed = Buffer.from(body);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(refusal(verify, delivery({ [header]: mac.toString('hex') }, changed))).toContain('does not fit');
    }
    for (let at = 0; at < mac.length; at += 1) {
      const changed = Buffer.from(mac);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(refusal(verify, delivery({ [header]: changed.toString('base64') }))).toContain('does not fit');
    }
  });

  test.each([
    'nonsense',
    'sha1=da39a3ee5e6b4b0d3255bfef95601890afd80709',
    sign('old').toString('hex').slice(1),
    `${sign('old').toString('hex')}00`,
    `${sign('old').toString('hex')}, ${sign('old').toString('hex')}`,
    `${sign('old').toString('base64')}=`,
    'sha256=',
  ])('%j is no signature', (value) => {
    const message = refusal(verify, delivery({ [header]: value }));
    expect(message).toBe('The header x-webhook-signature must hold one HMAC-SHA-256, in hex or base64');
  });

  test('the body is part of what is verified even when it is empty', () => {
    const empty = Buffer.alloc(0);
    const headers = { [header]: sign('old', empty).toString('hex') };
    expect(verify(delivery(headers, empty)).stage).toBe('verified');
  });

  test('a plain hash of the body is no signature', () => {
    const hash = createHash('sha256').update(body).digest('hex');
    expect(refusal(verify, delivery({ [header]: hash }))).toContain('does not fit');
  });

  test('names the header that is missing', () => {
    expect(refusal(verify, delivery())).toBe('The header x-webhook-signature is missing');
  });
});

describe('scheme standard', () => {
  const oldKey = Buffer.from('an old key of some length');
  const newKey = Buffer.from('a new key of other length');
  const secrets = [`whsec_${oldKey.toString('base64')}`, newKey.toString('base64')];
  const verify = verifier({ scheme: 'standard', secrets, messageIdHeader });

  /** As a sender with the library signs it. */
  function signed(
    key: Uint8Array,
    { at = NOW / 1000, id = 'msg_1', text = body.toString() } = {},
  ): Record<string, string> {
    const signature = new Webhook(key, { format: 'raw' }).sign(id, new Date(at * 1000), text);
    return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature };
  }

  test.each([
    ['the old', oldKey],
    ['the new', newKey],
  ])('takes what the library signed with %s secret', (_name, key) => {
    expect(verify(delivery(signed(key)))).toMatchObject({ messageId: 'msg_1', body });
  });

  test('agrees with the library on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const headers = signed(oldKey, { text });
        expect(verify(delivery(headers, Buffer.from(text))).stage).toBe('verified');
      }),
    );
  });

  test('verifies the bytes themselves, also when they are not UTF-8', () => {
    const mac = (bytes: Uint8Array): string =>
      createHmac('sha256', oldKey)
        .update(`msg_1.${String(NOW / 1000)}.`)
        .update(bytes)
        .digest('base64');
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        const headers = { ...signed(oldKey), 'webhook-signature': `v1,${mac(bytes)}` };
        expect(verify(delivery(headers, bytes)).body).toBe(bytes);
        // 0xff occurs in no UTF-8; decoded, all such bytes would look the same.
        const other = Uint8Array.from([...bytes.slice(1), 0xff]);
        if (Buffer.compare(other, bytes) !== 0)
          expect(refusal(verify, delivery(headers, other))).toContain('No signature');
      }),
    );
  });

  test('one of several signatures is enough, and those of other versions are passed over', () => {
    const headers = signed(newKey);
    const stranger = signed(Buffer.from('stranger'))['webhook-signature'] ?? '';
    const list = `v1a,AAAA ${stranger} ${headers['webhook-signature'] ?? ''}`;
    expect(verify(delivery({ ...headers, 'webhook-signature': list })).stage).toBe('verified');
    const others = { ...headers, 'webhook-signature': `v1a,AAAA ${stranger}` };
    expect(refusal(verify, delivery(others))).toBe('No signature in webhook-signature fits the message');
    const none = { ...headers, 'webhook-signature': 'v1a,AAAA' };
    expect(refusal(verify, delivery(none))).toBe('The header webhook-signature holds no v1 signature');
  });

  test('id, time and body are all signed', () => {
    const headers = signed(oldKey);
    const later = String(NOW / 1000 + 1);
    for (const given of [
      delivery({ ...headers, 'webhook-id': 'msg_2' }),
      delivery({ ...headers, 'webhook-timestamp': later }),
      delivery(headers, Buffer.from('{}')),
    ])
      expect(refusal(verify, given)).toBe('No signature in webhook-signature fits the message');
  });

  test.each([
    [-301, 'too old'],
    [-300, null],
    [300, null],
    [301, 'too far in the future'],
  ])('a message %i seconds from now is %s', (seconds, expected) => {
    const given = delivery(signed(oldKey, { at: NOW / 1000 + seconds }));
    if (expected === null) expect(verify(given).stage).toBe('verified');
    else expect(refusal(verify, given)).toContain(expected);
  });

  test('the tolerance can be set, and is measured by the injected clock', () => {
    const moving = manualClock(NOW);
    const options = { scheme: 'standard', secrets, messageIdHeader, toleranceSeconds: 10 } as const;
    const strict = createVerifier(options, { clock: moving });
    const given = delivery(signed(oldKey));
    moving.advance(10_000);
    expect(strict(given).stage).toBe('verified');
    moving.advance(1_000);
    expect(refusal(strict, given)).toContain('too old');
  });

  test.each(['', '12x', '-1', '1e9', '1763640000.5', ' 1763640000', '99999999999999999999'])(
    '%j is no timestamp',
    (value) => {
      const message = refusal(verify, delivery({ ...signed(oldKey), 'webhook-timestamp': value }));
      expect(message).toMatch(/^The header webhook-timestamp (must be seconds since 1970|is empty)$/);
    },
  );

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('names %s when missing', (name) => {
    const headers = Object.fromEntries(Object.entries(signed(oldKey)).filter(([key]) => key !== name));
    expect(refusal(verify, delivery(headers))).toBe(`The header ${name} is missing`);
  });

  test.each(['whsec_', '', 'not base64!', 'whsec_ÄÖ'])('%j is no secret', (secret) => {
    const options = { scheme: 'standard', secrets: [secrets[0] ?? '', secret], messageIdHeader } as const;
    expect(() => verifier(options)).toThrow(
      expect.objectContaining({ code: 'misconfigured', message: expect.stringMatching(/^Secret 2 /) }),
    );
  });
});

describe('what is kept', () => {
  const sent = {
    'content-type': 'application/json',
    'user-agent': 'provider/1.0',
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1763640000',
    'webhook-signature': 'v1,c2VjcmV0',
    'x-webhook-token': 'secret',
    'x-delivery': 'd-1',
    authorization: 'Bearer secret',
    cookie: 'session=secret',
    'x-forwarded-for': '203.0.113.7',
  };

  test('only the headers worth keeping, never one that proves who sent it', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader: 'x-delivery' });
    expect(verify(delivery(sent)).headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'provider/1.0',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1763640000',
      'x-delivery': 'd-1',
    });
  });

  test('a header that carries the secret is not kept, whatever else it was set to be', () => {
    const header = 'x-webhook-token';
    const verify = verifier({ scheme: 'token', header, secrets: ['secret'], messageIdHeader: header });
    expect(Object.values(verify(delivery(sent)).headers)).not.toContain('secret');
  });

  test('the message id comes from the header that is set for it', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader: 'x-delivery' });
    expect(verify(delivery(sent)).messageId).toBe('d-1');
  });

  test.each(['', 'a b', 'msg_1, msg_2', 'é', 'a\u0000', 'x'.repeat(257)])(
    '%j counts as no message id',
    (value) => {
      const verify = verifier({ scheme: 'none', messageIdHeader });
      expect(verify(delivery({ 'webhook-id': value })).messageId).toBeNull();
    },
  );

  test('a message id may have up to 256 characters', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader });
    const id = 'x'.repeat(256);
    expect(verify(delivery({ 'webhook-id': id })).messageId).toBe(id);
  });
});
