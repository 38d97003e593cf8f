import { Webhook } from 'standardwebhooks';

/** What a signed webhook says of itself beside its body. */
export interface SigningHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** Bytes of a secret, by Standard Webhooks. */
const SHORTEST_SECRET = 24;
const LONGEST_SECRET = 64;

/** Whether it is `whsec_` and 24 to 64 bytes in base64, as Standard Webhooks has it. */
export function isSigningSecret(secret: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/u.exec(secret) ?? [];
  if (base64 === undefined) return false;
  const { length } = Buffer.from(base64, 'base64');
  return length >= SHORTEST_SECRET && length <= LONGEST_SECRET;
}

/**
 * The headers by which a receiver knows the sender (Standard Webhooks).
 *
 * @param at milliseconds since 1970, by the machine: receivers refuse what is minutes off.
 */
export function signedBy(secret: string, messageId: string, at: number, body: string): SigningHeaders {
  const signature = new Webhook(secret).sign(messageId, new Date(at), body);
  return {
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': signature,
  };
}
