/** Signs bodies as a sender does, for samples and `send`. */
import { createHmac } from 'node:crypto';
import { signatureText, standardSigner } from './standard-webhooks.ts';
import type { VerifyOptions } from './verify-options.ts';

/**
 * Signs a body with the first secret of a verification scheme.
 *
 * @param message its id (signed by scheme `standard`) and the time of sending in milliseconds since 1970.
 * @returns the headers to send with the body.
 */
export function signingHeaders(
  verify: VerifyOptions,
  body: Uint8Array,
  message: { readonly id: string; readonly now: number },
): Readonly<Record<string, string>> {
  switch (verify.scheme) {
    case 'none':
      return {};
    case 'token':
      return { [verify.header]: firstOf(verify.secrets) };
    case 'hmac':
      return { [verify.header]: createHmac('sha256', firstOf(verify.secrets)).update(body).digest('hex') };
    case 'standard': {
      const at = Math.floor(message.now / 1000);
      const key = Buffer.from(firstOf(verify.secrets).replace(/^whsec_/, ''), 'base64');
      return {
        'webhook-id': message.id,
        'webhook-timestamp': String(at),
        'webhook-signature': signatureText(standardSigner(key)(message.id, at, body)),
      };
    }
  }
}

/** The configuration guarantees at least one secret. */
function firstOf(secrets: readonly string[]): string {
  return secrets[0] ?? '';
}
