import { expect, test } from 'vitest';
import type { RawDelivery } from '../event/raw-delivery.ts';
import { tokenScheme } from './token-scheme.ts';

const header = 'x-webhook-token';
const verify = tokenScheme({
  scheme: 'token',
  header,
  secrets: ['old', 'new-é'],
  messageIdHeader: 'webhook-id',
});

function delivery(headers: Readonly<Record<string, string>>): RawDelivery {
  return { stage: 'raw', source: 'default', receivedAt: 0, headers, body: Buffer.from('{}') };
}

const notVerified = (message: string): unknown => expect.objectContaining({ code: 'not-verified', message });

test.each(['old', Buffer.from('new-é').toString('latin1')])('%j is one of the secrets', (token) => {
  expect(() => {
    verify(delivery({ [header]: token }));
  }).not.toThrow();
});

test.each(['ol', 'older', 'OLD', 'new', 'old, old', 'old,new-é', ' old', 'undefined'])(
  '%j is refused without a word of what would fit',
  (token) => {
    expect(() => {
      verify(delivery({ [header]: token }));
    }).toThrow(notVerified('The token in the header x-webhook-token is not a known one'));
  },
);

test.each([
  [{}, 'The header x-webhook-token is missing'],
  [{ [header]: '' }, 'The header x-webhook-token is empty'],
  [{ 'x-webhook-signature': 'old' }, 'The header x-webhook-token is missing'],
])('of %j it is told what lacks', (headers, message) => {
  expect(() => {
    verify(delivery(headers));
  }).toThrow(notVerified(message));
});
