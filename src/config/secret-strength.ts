/** Rejects secrets that are short, guessed easily, or placeholders. */
import { isPublicKey, isUnreadPublicKey, readPublicKey } from '../verify/public-keys.ts';
import { isHmac, readSecretKey } from '../verify/signed/keys.ts';
import type { Proof } from '../verify/verify-options.ts';

/** A shorter key can be guessed from one captured signature, or by trial. */
const MIN_SECRET_BYTES = 16;

/** A random key of 16 bytes has fewer with a probability below 10^-20. */
const MIN_DIFFERENT_BYTES = 5;

/** Placeholders in examples that people forget to replace. */
const PLACEHOLDER =
  /replace[-_ ]?me|change[-_ ]?me|place[-_ ]?holder|your[-_ ](\w+[-_ ])?(secret|token|key)|…|\.{3}$|^<.*>$|^(whsec_)?(x{3,}|\*{3,})$/i;

/** Whether a value is in quotes. */
export function isQuoted(value: string): boolean {
  return /^(["']).*\1$/su.test(value);
}

export const QUOTED =
  'is in quotes, which are part of the value, as only a shell removes them; leave them out';

/** What is wrong with a secret, if anything. Neither message quotes it. */
export interface SecretCheck {
  /** Prevents the start. */
  readonly problem?: string;
  /** Accepted, because only this machine can reach the port. */
  readonly warning?: string;
}

/** Creates a plain secret. */
const CREATE_PLAIN = '`openssl rand -hex 32`';

/** Creates a Standard Webhooks secret. */
const CREATE_STANDARD = '`echo "whsec_$(openssl rand -base64 32)"`';

/**
 * Checks a secret whose characters are the key.
 *
 * @param reachable address of the port, if other machines can reach it; else null
 */
export function checkPlainSecret(secret: string, reachable: string | null): SecretCheck {
  return check(secret, weaknessOfPlain(secret), CREATE_PLAIN, reachable);
}

/** Checks a Standard Webhooks secret, whose decoded bytes are the key. */
export function checkStandardSecret(secret: string, reachable: string | null): SecretCheck {
  return checkEncodedSecret('base64', secret, reachable);
}

/** Checks a secret or public key as its proof uses it. */
export function checkSecretOf(proof: Proof, secret: string, reachable: string | null): SecretCheck {
  switch (proof.scheme) {
    case 'standard':
      return isPublicKey(secret) ? checkPublicKey('ed25519', secret) : checkStandardSecret(secret, reachable);
    case 'signed':
      if (!isHmac(proof.algorithm)) return checkPublicKey(proof.algorithm, secret);
      return proof.key === 'text'
        ? checkPlainSecret(secret, reachable)
        : checkEncodedSecret(proof.key, secret, reachable);
    case 'basic': {
      const colon = secret.indexOf(':');
      if (colon < 1 && !isQuoted(secret)) return { problem: 'must be user:password' };
      return checkPlainSecret(isQuoted(secret) ? secret : secret.slice(colon + 1), reachable);
    }
    case 'jwt':
    case 'function':
      if (isUnreadPublicKey(secret))
        return { problem: 'is a public key, which anybody may know; write it as PEM' };
      return isPublicKey(secret) ? checkPublicKey(null, secret) : checkPlainSecret(secret, reachable);
    case 'none':
    case 'token':
    case 'hmac':
      return checkPlainSecret(secret, reachable);
  }
}

/** Anybody may know a public key, so that it has no strength: it must be one. */
function checkPublicKey(algorithm: Parameters<typeof readPublicKey>[0], secret: string): SecretCheck {
  if (isQuoted(secret)) return { problem: QUOTED };
  const key = readPublicKey(algorithm, secret);
  return typeof key === 'string' ? { problem: key } : {};
}

function checkEncodedSecret(form: 'base64' | 'hex', secret: string, reachable: string | null): SecretCheck {
  const key = readSecretKey(form, secret);
  const bytes = typeof key === 'string' ? new Uint8Array() : key;
  const remedy = form === 'hex' ? CREATE_PLAIN : CREATE_STANDARD;
  const checked = check(secret, weaknessOfKey(bytes), remedy, reachable);
  return typeof key === 'string' && !isPlaceholder(secret) ? { problem: key } : checked;
}

/** Whether a secret is the placeholder of an example. */
export function isPlaceholder(secret: string): boolean {
  return PLACEHOLDER.test(secret);
}

function check(
  secret: string,
  weakness: string | null,
  remedy: string,
  reachable: string | null,
): SecretCheck {
  if (isQuoted(secret)) return { problem: QUOTED };
  if (isPlaceholder(secret))
    return { problem: `is a placeholder; replace it with a random secret: ${remedy}` };
  if (weakness === null) return {};
  return reachable === null
    ? { warning: `${weakness}, which is only safe for tests on this machine; create a new one: ${remedy}` }
    : { problem: `${weakness}, and other machines can reach ${reachable}; create a new one: ${remedy}` };
}

function weaknessOfPlain(secret: string): string | null {
  const isRepeated = /^(.)\1*$/u.test(secret.replace(/^whsec_/, '').replace(/=+$/, ''));
  return weaknessOfLength(Buffer.byteLength(secret)) ?? (isRepeated ? 'repeats one character' : null);
}

function weaknessOfKey(key: Uint8Array): string | null {
  const isUniform = new Set(key).size < MIN_DIFFERENT_BYTES;
  return (
    weaknessOfLength(key.length) ??
    (isUniform ? `has fewer than ${String(MIN_DIFFERENT_BYTES)} different bytes` : null)
  );
}

function weaknessOfLength(bytes: number): string | null {
  return bytes < MIN_SECRET_BYTES ? `is shorter than ${String(MIN_SECRET_BYTES)} bytes` : null;
}
