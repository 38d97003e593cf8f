import { expect, test } from 'vitest';
import type { RawDelivery } from '../event/delivery.ts';
import { tokenScheme } from './credentials.ts';

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

test.each(['old', Buffer.from('new-é').toString('latin1')])('accepts %j', (token) => {
  expect(() => {
    verify(delivery({ [header]: token }));
  }).not.toThrow();
});

test.each(['ol', 'older', 'OLD', 'new', 'old, old', 'old,new-é', ' old', 'undefined'])(
  'rejects %j without revealing a secret',
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
])('names the missing or empty header in %j', (headers, message) => {
  expect(() => {
    verify(delivery(headers));
  }).toThrow(notVerified(message));
});
