/** Signs webhooks by Standard Webhooks. */
import { createHmac } from 'node:crypto';

/** The headers of a webhook signed by Standard Webhooks. */
export interface SignatureHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

const PREFIX = 'whsec_';
/** Minimum length of a secret, in bytes (Standard Webhooks). */
const MIN_SECRET_BYTES = 24;
/** Maximum length of a secret, in bytes. */
const MAX_SECRET_BYTES = 64;

/** Whether the string is a signing secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
export function isSigningSecret(secret: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(secret) ?? [];
  if (base64 === undefined) return false;
  const { length } = Buffer.from(base64, 'base64');
  return length >= MIN_SECRET_BYTES && length <= MAX_SECRET_BYTES;
}

/**
 * Signs a webhook by Standard Webhooks (symmetric signature, `v1`).
 *
 * @param at milliseconds since 1970, by the machine's clock: receivers reject timestamps
 *   that are minutes off.
 */
export function signatureHeaders(
  secret: string,
  messageId: string,
  at: number,
  body: string,
): SignatureHeaders {
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
