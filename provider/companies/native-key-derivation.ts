/** Key derivation by Node's own functions, within a number of rounds. */
import { pbkdf2Sync } from 'node:crypto';
import forge from 'node-forge';

/**
 * Maximum number of rounds of PBKDF2. Ordinary files have up to 600,000, which take a few tenths of a second.
 * OpenSSL cannot be stopped on its way, so this bounds how long a thread outlives its time limit.
 */
export const MAX_PBKDF2_ROUNDS = 10_000_000;

/** Thrown for a file whose key derivation would take too long. */
export class TooManyRounds extends Error {}

/** A hash function as the library passes it: an object, or its name. */
type Digest = forge.md.MessageDigest | string | null | undefined;

/**
 * Makes the library derive keys by PBKDF2 with OpenSSL. Its own implementation is in JavaScript for every digest
 * but the default, and takes ten times as long.
 */
export function deriveKeysNatively(): void {
  // Its other functions look it up there for each key.
  Object.assign(forge.pkcs5, { pbkdf2 });
}

/** The library's signature, without its callback; passwords, salts and keys are binary strings. */
function pbkdf2(password: string, salt: string, rounds: number, length: number, digest?: Digest): string {
  if (rounds > MAX_PBKDF2_ROUNDS) throw new TooManyRounds(`PBKDF2 with ${String(rounds)} rounds`);
  const key = pbkdf2Sync(
    Buffer.from(password, 'binary'),
    Buffer.from(salt, 'binary'),
    rounds,
    length,
    digestName(digest),
  );
  return key.toString('binary');
}

function digestName(digest: Digest): string {
  if (digest == null) return 'sha1';
  if (typeof digest === 'string') return digest;
  // The types of the library omit the name.
  return (digest as forge.md.MessageDigest & { readonly algorithm: string }).algorithm;
}
