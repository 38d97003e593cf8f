/** Signed tokens. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Signs values as text. Everybody who has a token can read its value; nobody can change it. */
export interface Signer {
  /** Returns a token with a value that JSON can hold, signed for one purpose. */
  sign(purpose: string, value: unknown): string;
  /** Returns the value of a token for the same purpose; undefined when it is forged or altered. */
  open(purpose: string, token: string): unknown;
}

/**
 * Creates a signer. Those with the same secret and name accept each other's tokens.
 *
 * @param name derives a key of its own from the secret, which may serve others, too
 */
export function createSigner(secret: string | Uint8Array, name: string): Signer {
  const key = Buffer.from(hkdfSync('sha256', secret, '', name, 32));
  const signatureOf = (purpose: string, text: string): Buffer =>
    createHmac('sha256', key).update(`${purpose}\0${text}`).digest();
  return {
    sign(purpose, value) {
      const text = Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${text}.${signatureOf(purpose, text).toString('base64url')}`;
    },
    open(purpose, token) {
      const [text = '', signature = '', ...rest] = token.split('.');
      // The texts are compared: a decoder would skip characters that belong to no signature.
      const given = Buffer.from(signature);
      const expected = Buffer.from(signatureOf(purpose, text).toString('base64url'));
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
        return undefined;
      return JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown;
    },
  };
}
