import { createHash, timingSafeEqual } from 'node:crypto';

/** A secret or a signature in the form it is compared in: of one length, whatever it was. */
export type Fingerprint = Buffer;

/** SHA-256 of a secret: of one length whatever the secret's, so that comparing tells nothing of it. */
export function fingerprint(secret: string | Uint8Array): Fingerprint {
  return createHash('sha256').update(secret).digest();
}

/**
 * Whether `given` is any of `known`, in a time that depends on neither: all are
 * compared, also after one has fitted.
 */
export function sameAsAny(given: Fingerprint, known: readonly Fingerprint[]): boolean {
  let found = false;
  for (const one of known) found = timingSafeEqual(given, one) || found;
  return found;
}
