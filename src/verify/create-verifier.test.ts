import { describe, expect, test } from 'vitest';
import type { RawDelivery } from '../event/raw-delivery.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { createVerifier } from './create-verifier.ts';
import type { Verifier } from './verifier.ts';
import type { VerifyOptions } from './verify-options.ts';

const messageIdHeader = 'webhook-id';
const body = Buffer.from('{}');

function verifier(options: VerifyOptions): Verifier {
  return createVerifier(options, { clock: manualClock() });
}

function delivery(headers: Readonly<Record<string, string>> = {}): RawDelivery {
  return { stage: 'raw', source: 'partner', receivedAt: 5, headers, body };
}

test('scheme none takes anybody', () => {
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
])('scheme $scheme refuses who shows nothing', (options) => {
  expect(() => verifier(options)(delivery())).toThrow(expect.objectContaining({ code: 'not-verified' }));
});

test('whether a sender was verified goes with what it sent', () => {
  const token = verifier({ scheme: 'token', header: 'x-webhook-token', secrets: ['s'], messageIdHeader });
  expect(token(delivery({ 'x-webhook-token': 's' })).senderVerified).toBe(true);
  expect(verifier({ scheme: 'none', messageIdHeader })(delivery()).senderVerified).toBe(false);
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

  test('of every delivery its own, also where it differs from the last in one, or lacks it', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader });
    const given = [
      { 'user-agent': 'a', 'webhook-id': '1' },
      { 'user-agent': 'a', 'webhook-id': '2' },
      { 'user-agent': 'a' },
      {},
      { 'webhook-id': '2' },
    ];
    const kept = given.map((headers) => verify(delivery(headers)).headers);
    expect(kept).toEqual(given);
  });

  test('the same object while nothing that is kept changes', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader });
    const { headers } = verify(delivery({ ...sent, cookie: 'a' }));
    expect(verify(delivery({ ...sent, cookie: 'b' })).headers).toBe(headers);
  });

  test.each([
    ['x-webhook-token', 'x-webhook-token'],
    ['user-agent', messageIdHeader],
  ])('not the header %s once it carries the secret', (header, idHeader) => {
    const secret = 'secret';
    const verify = verifier({ scheme: 'token', header, secrets: [secret], messageIdHeader: idHeader });
    expect(verify(delivery({ ...sent, [header]: secret })).headers).not.toHaveProperty(header);
  });

  test('the message id comes from the header that is set for it', () => {
    const verify = verifier({ scheme: 'none', messageIdHeader: 'x-delivery' });
    expect(verify(delivery(sent)).messageId).toBe('d-1');
  });
});
