import { describe, expect, test } from 'vitest';
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createVerifier } from './create-verifier.ts';
import type { VerifyOptions } from './verify-options.ts';

const messageIdHeader = 'webhook-id';
const body = Buffer.from('{}');

/** These schemes take no time. */
function verifier(options: VerifyOptions): (raw: RawDelivery) => VerifiedDelivery {
  const verify = createVerifier(options, { clock: manualClock() });
  return (raw) => verify(raw) as VerifiedDelivery;
}

function delivery(headers: Readonly<Record<string, string>> = {}): RawDelivery {
  return { stage: 'raw', source: 'partner', receivedAt: 5, headers, body };
}

test('scheme none accepts any sender', () => {
  expect(verifier({ scheme: 'none', messageIdHeader })(delivery())).toEqual({
    stage: 'verified',
    source: 'partner',
    senderVerified: false,
    receivedAt: 5,
    headers: {},
    body,
    messageId: null,
    messageIdTrusted: false,
  });
});

test.each<VerifyOptions>([
  { scheme: 'token', header: 'x-webhook-token', secrets: ['s'], messageIdHeader },
  { scheme: 'hmac', header: 'x-webhook-signature', secrets: ['s'], messageIdHeader },
  { scheme: 'standard', secrets: ['whsec_c2VjcmV0'], messageIdHeader },
])('scheme $scheme rejects a delivery without proof', (options) => {
  expect(() => verifier(options)(delivery())).toThrow(expect.objectContaining({ code: 'not-verified' }));
});

test('the result says whether the sender was verified', () => {
  const token = verifier({ scheme: 'token', header: 'x-webhook-token', secrets: ['s'], messageIdHeader });
  expect(token(delivery({ 'x-webhook-token': 's' })).senderVerified).toBe(true);
  expect(verifier({ scheme: 'none', messageIdHeader })(delivery()).senderVerified).toBe(false);
});

describe('the stored headers', () => {
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

  test('are those on the list, never one that proves the sender', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader: 'x-delivery' });
    expect(verify(delivery(sent)).headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'provider/1.0',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1763640000',
      'x-delivery': 'd-1',
    });
  });

  test('are those of each delivery, also when one header changes or is absent', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader });
    const given = [
      { 'user-agent': 'a', 'webhook-id': '1' },
      { 'user-agent': 'a', 'webhook-id': '2' },
      { 'user-agent': 'a' },
      {},
      { 'webhook-id': '2' },
    ];
    const stored = given.map((headers) => verify(delivery(headers)).headers);
    expect(stored).toEqual(given);
  });

  test('are the same object while no stored header changes', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader });
    const { headers } = verify(delivery({ ...sent, cookie: 'a' }));
    expect(verify(delivery({ ...sent, cookie: 'b' })).headers).toBe(headers);
  });

  test.each([
    ['x-webhook-token', 'x-webhook-token'],
    ['user-agent', messageIdHeader],
  ])('exclude the header %s when it carries the secret', (header, idHeader) => {
    const secret = 'secret';
    const verify = verifier({ scheme: 'token', header, secrets: [secret], messageIdHeader: idHeader });
    expect(verify(delivery({ ...sent, [header]: secret })).headers).not.toHaveProperty(header);
  });

  test('do not affect the message id, which comes from the configured header', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader: 'x-delivery' });
    expect(verify(delivery(sent)).messageId).toBe('d-1');
  });
});
