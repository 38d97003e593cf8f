import { createHmac } from 'node:crypto';

/** What one sender signs with one secret. `at` is seconds since 1970. */
export type Sign = (messageId: string, at: number, body: Uint8Array) => Buffer;

/**
 * A signer by Standard Webhooks: the HMAC-SHA-256 of id, time and the bytes of the body. The standard's own
 * library hashes in JavaScript, which takes three times as long, and turns bytes that are no UTF-8 into others.
 */
export function standardSigner(key: Uint8Array): Sign {
  return (messageId, at, body) =>
    createHmac('sha256', key)
      .update(`${messageId}.${String(at)}.`)
      .update(body)
      .digest();
}

/** The bytes of a secret: base64, usually written `whsec_<base64>`. Null when it is something else. */
export function readStandardKey(secret: string): Uint8Array | null {
  const base64 = secret.replace(/^whsec_/, '');
  return base64.length >= 4 && /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : null;
}

/** A signature as the header has it; several are separated by spaces. */
export function signatureText(signature: Buffer): string {
  return `v1,${signature.toString('base64')}`;
}

const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

/** The signatures of version 1 in a header, `most` of them; those of other versions are passed over. */
export function readSignatures(header: string, most: number): readonly Buffer[] {
  const signatures: Buffer[] = [];
  for (const one of header.split(' ')) {
    const base64 = SIGNATURE.exec(one)?.[1];
    if (base64 !== undefined) signatures.push(Buffer.from(base64, 'base64'));
    if (signatures.length === most) break;
  }
  return signatures;
}
