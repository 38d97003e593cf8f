/** Keys of signatures: HMACs under a secret, and public keys. */
import {
  createHmac,
  createSecretKey,
  timingSafeEqual,
  verify as verifySignature,
  type KeyObject,
} from 'node:crypto';
import type { Algorithm, Encoding } from '../../contract/source-verification.ts';
import { readPublicKey } from '../public-keys.ts';
import type { Compiled } from './template.ts';

/** What is signed, in pieces. A text has a byte in each character, as Node reads headers. */
export type Content = readonly (string | Uint8Array)[];

/** Whether a signature of the content is one of this key. */
export type MatchesKey = (content: Content, signatures: readonly Buffer[]) => boolean;

/** How a secret of an HMAC is written. */
type KeyForm = 'text' | 'base64' | 'hex';

export function isHmac(algorithm: Algorithm): algorithm is 'sha1' | 'sha256' | 'sha512' {
  return algorithm.startsWith('sha');
}

/** Reads a secret or a public key. A mistake never quotes it. */
export function readKey(algorithm: Algorithm, form: KeyForm, secret: string): Compiled<MatchesKey> {
  if (isHmac(algorithm)) {
    const bytes = readSecretKey(form, secret);
    return typeof bytes === 'string' ? { mistake: bytes } : { value: hmacKey(algorithm, bytes) };
  }
  const key = readPublicKey(algorithm, secret);
  return typeof key === 'string' ? { mistake: key } : { value: publicKey(algorithm, key) };
}

function hmacKey(algorithm: string, bytes: Uint8Array): MatchesKey {
  const key = createSecretKey(bytes);
  return (content, signatures) => {
    const expected = hmacOf(algorithm, key, content);
    let found = false;
    for (const one of signatures)
      found = (one.length === expected.length && timingSafeEqual(one, expected)) || found;
    return found;
  };
}

export function hmacOf(algorithm: string, key: KeyObject | Uint8Array, content: Content): Buffer {
  const mac = createHmac(algorithm, key);
  for (const piece of content)
    if (typeof piece === 'string') mac.update(piece, 'latin1');
    else mac.update(piece);
  return mac.digest();
}

function publicKey(algorithm: Exclude<Algorithm, 'sha1' | 'sha256' | 'sha512'>, key: KeyObject): MatchesKey {
  return (content, signatures) => {
    const bytes = Buffer.concat(
      content.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
    );
    return signatures.some((signature) => {
      if (algorithm === 'ed25519') return verifySignature(null, bytes, key, signature);
      if (algorithm === 'rsa-sha256') return verifySignature('sha256', bytes, key, signature);
      // Both forms of an ECDSA signature are in use, and one of DER may have 64 bytes, too.
      return (['ieee-p1363', 'der'] as const).some(
        (dsaEncoding) =>
          (dsaEncoding === 'der' || signature.length === 64) &&
          verifySignature('sha256', bytes, { key, dsaEncoding }, signature),
      );
    });
  };
}

/** Reads a secret to the bytes of its key, or says what is wrong with it. */
export function readSecretKey(form: KeyForm, secret: string): Uint8Array | string {
  if (form === 'text') return Buffer.from(secret);
  if (form === 'hex')
    return /^(?:[0-9a-f]{2})+$/i.test(secret) ? Buffer.from(secret, 'hex') : 'must be hex, as `key` says';
  return readStandardKey(secret) ?? 'must be base64, with or without the prefix whsec_';
}

/** Reads the base64 of a secret, usually written `whsec_<base64>`. Null when it is not base64. */
export function readStandardKey(secret: string): Uint8Array | null {
  const base64 = secret.replace(/^whsec_/, '');
  return base64.length >= 4 && /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : null;
}

/** Decodes a signature in hex of any case, or base64 of any alphabet and padding; undefined for anything else. */
export function decodeSignature(text: string, encoding: Encoding): Buffer | undefined {
  if (encoding === 'hex') return /^(?:[0-9a-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : undefined;
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}
