/** Compares secrets in constant time. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** A secret or a signature in the form it is compared in: always 32 bytes. */
export type Fingerprint = Buffer;

/** Returns the SHA-256 of a secret. Its length does not depend on the secret's, so comparing reveals nothing. */
export function fingerprint(secret: string | Uint8Array): Fingerprint {
  return createHash('sha256').update(secret).digest();
}

/** Whether `given` equals any of `known`, in constant time: every one is compared, also after a match. */
export function equalsAny(given: Fingerprint, known: readonly Fingerprint[]): boolean {
  let found = false;
  for (const one of known) found = timingSafeEqual(given, one) || found;
  return found;
}
