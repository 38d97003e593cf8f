import { createHmac } from 'node:crypto';

/** What a signed webhook says of itself beside its body. */
export interface SigningHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** What secrets begin with. */
const PREFIX = 'whsec_';
/** Bytes of a secret, by Standard Webhooks. */
const MIN_SECRET = 24;
const MAX_SECRET = 64;

/** Whether it is `whsec_` and 24 to 64 bytes in base64, as Standard Webhooks has it. */
export function isSigningSecret(secret: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(secret) ?? [];
  if (base64 === undefined) return false;
  const { length } = Buffer.from(base64, 'base64');
  return length >= MIN_SECRET && length <= MAX_SECRET;
}

/**
 * The headers by which a receiver knows the sender (Standard Webhooks, symmetric
 * signature `v1`). Signed by Node itself: the standard's library, which tests
 * compare with, hashes in JavaScript and takes many times as long.
 *
 * @param at milliseconds since 1970, by the machine: receivers refuse what is minutes off.
 */
export function signedBy(secret: string, messageId: string, at: number, body: string): SigningHeaders {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${messageId}.${timestamp}.${body}`)
    .digest('base64');
  return {
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
