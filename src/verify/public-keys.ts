/** Public keys, as senders publish them. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import type { VerifyOptions } from './verify-options.ts';

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----([^-]+)-----END \1-----/;

/** The bytes of SubjectPublicKeyInfo before those of a key of Ed25519 (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Bits of a key of RSA that is too long to factor. */
const MIN_MODULUS = 2048;

const kinds = {
  ed25519: 'ed25519',
  'rsa-sha256': 'rsa',
  'ecdsa-p256': 'ec prime256v1',
} as const;

/** Whether a secret is written as a public key, so that its length says nothing about its strength. */
export function isPublicKey(secret: string): boolean {
  return secret.startsWith('whpk_') || secret.startsWith('-----BEGIN');
}

/** Whether a secret is a public key in a form that is not read: as a shared secret, anybody would know it. */
export function isUnreadPublicKey(secret: string): boolean {
  if (/^\s*\{|^ssh-/.test(secret)) return true;
  try {
    createPublicKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'spki' });
    return true;
  } catch {
    return false;
  }
}

/** The secrets of a source that nobody but its sender knows: a public key is none. */
export function sharedSecrets(verify: VerifyOptions): readonly string[] {
  if (verify.scheme === 'none' || (verify.scheme === 'signed' && verify.algorithm in kinds)) return [];
  return verify.secrets.filter((secret) => !isPublicKey(secret));
}

/** Reads a public key, or says what is wrong with it. */
export function readPublicKey(algorithm: keyof typeof kinds | null, secret: string): KeyObject | string {
  const key = parsePublicKey(secret, algorithm === 'ed25519');
  if (typeof key === 'string') return key;
  const { asymmetricKeyType = '', asymmetricKeyDetails = {} } = key;
  const { namedCurve, modulusLength = MIN_MODULUS, publicExponent = 3n } = asymmetricKeyDetails;
  if (modulusLength < MIN_MODULUS || publicExponent < 3n)
    return `is a weak key: RSA needs ${String(MIN_MODULUS)} bits, and an exponent of 3 or more`;
  if (algorithm === null)
    return ['rsa', 'ec', 'ed25519'].includes(asymmetricKeyType)
      ? key
      : `is a key of ${asymmetricKeyType}, which signs nothing`;
  const kind = [asymmetricKeyType, namedCurve].filter(Boolean).join(' ');
  return kind === kinds[algorithm] ? key : `is a key of ${kind}, which does not verify ${algorithm}`;
}

function parsePublicKey(secret: string, isRawAllowed: boolean): KeyObject | string {
  const [, label = '', base64 = ''] = PEM.exec(secret.replaceAll(/\\r|\\n/g, '\n')) ?? [];
  if (label.includes('PRIVATE'))
    return 'is a private key, which only the sender may have; use the public key';
  const raw = /^(?:whpk_)?([A-Za-z0-9+/_-]{43}=?)$/.exec(secret)?.[1];
  const bytes = /^[0-9a-f]{64}$/i.test(secret)
    ? Buffer.from(secret, 'hex')
    : Buffer.from(raw ?? '', 'base64');
  try {
    if (label !== '') {
      // A variable may have lost the line breaks, which PEM needs.
      const lines = base64.replaceAll(/\s/g, '').match(/.{1,64}/g) ?? [];
      return createPublicKey([`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n'));
    }
    if (bytes.length === 32 && (isRawAllowed || secret.startsWith('whpk_')))
      return createPublicKey({
        key: Buffer.concat([ED25519_PREFIX, bytes]),
        format: 'der',
        type: 'spki',
      });
  } catch {
    // The message may quote the key.
  }
  const forms = isRawAllowed ? 'PEM, whpk_… or 32 bytes in hex' : 'PEM';
  return `must be a public key, as ${forms}`;
}
