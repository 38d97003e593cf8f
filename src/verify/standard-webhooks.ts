/** The scheme of Standard Webhooks: verifies and signs. */
import { createHmac, createSecretKey } from 'node:crypto';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { notVerified, requiredHeader } from './headers.ts';
import { equalsAny } from '../kernel/equal-secrets.ts';
import type { Scheme, StandardOptions } from './verify-options.ts';

/** The headers of a signed message. */
export const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** The tolerance that the standard recommends and its library uses. */
const TOLERANCE_SECONDS = 300;
/** Signatures that are checked. A sender that rotates its secrets sends one for each, so two. */
const MAX_SIGNATURES = 10;

/**
 * Scheme `standard`: Standard Webhooks with symmetric signatures (`v1`).
 *
 * @throws PortariaError `misconfigured` when a secret is not base64
 */
export function standardScheme(options: StandardOptions, clock: Clock): Scheme {
  const signers = options.secrets.map((secret, index) => standardSigner(readKey(secret, index + 1)));
  const tolerance = options.toleranceSeconds ?? TOLERANCE_SECONDS;

  return (delivery) => {
    const messageId = requiredHeader(delivery, 'webhook-id');
    const at = readTimestamp(requiredHeader(delivery, 'webhook-timestamp'));
    const header = requiredHeader(delivery, 'webhook-signature');
    // Node joins repeated headers this way; no signature ends in a comma.
    if (header.includes(', '))
      throw notVerified('repeated', 'The header webhook-signature was sent more than once; send it once');
    const signatures = readSignatures(header);
    if (signatures.length === 0)
      throw notVerified('malformed', 'The header webhook-signature contains no v1 signature');
    checkTimestamp(at, Math.floor(clock.now() / 1000), tolerance);

    // Every secret is tried, so that the time does not show which one matched.
    const matching = signers.filter((sign) => equalsAny(sign(messageId, at, delivery.body), signatures));
    if (matching.length === 0)
      throw notVerified('mismatch', 'No signature in webhook-signature matches the message');
  };
}

/** Reads seconds since 1970. Digits only: the signature covers the number in this form. */
function readTimestamp(value: string): number {
  if (/^\d{1,12}$/.test(value)) return Number(value);
  throw notVerified('malformed', 'The header webhook-timestamp must be seconds since 1970');
}

/** Prevents replays of recorded messages. */
function checkTimestamp(at: number, now: number, tolerance: number): void {
  const seconds = Math.abs(now - at);
  if (seconds <= tolerance) return;
  const side = at < now ? 'old' : 'far in the future';
  throw notVerified(
    at < now ? 'too-old' : 'too-new',
    `The header webhook-timestamp is too ${side}: by ${String(seconds)} seconds, more than ${String(tolerance)}`,
    seconds,
  );
}

function readKey(secret: string, number: number): Uint8Array {
  const key = readStandardKey(secret);
  if (key !== null) return key;
  throw new PortariaError(
    'misconfigured',
    `Secret ${String(number)} of scheme standard must be base64, with or without the prefix whsec_`,
  );
}

/** Reads the base64 of a secret, usually written `whsec_<base64>`. Null when it is not base64. */
export function readStandardKey(secret: string): Uint8Array | null {
  const base64 = secret.replace(/^whsec_/, '');
  return base64.length >= 4 && /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : null;
}

/** Signs a message. `at` is seconds since 1970. */
export type Sign = (messageId: string, at: number, body: Uint8Array) => Buffer;

/**
 * Creates a signer: HMAC-SHA-256 of id, time and body. The standard's own library hashes in JavaScript, which
 * takes three times as long, and corrupts bodies that are not UTF-8.
 */
export function standardSigner(key: Uint8Array): Sign {
  // Given as bytes, each call would prepare it again.
  const secret = createSecretKey(key);
  return (messageId, at, body) =>
    createHmac('sha256', secret)
      .update(`${messageId}.${String(at)}.`)
      .update(body)
      .digest();
}

/** Writes a signature for the header. Several are separated by spaces. */
export function signatureText(signature: Buffer): string {
  return `v1,${signature.toString('base64')}`;
}

const SIGNATURE = /^v1,([A-Za-z0-9+/]{43}=)$/;

/** Reads the first signatures of version 1 in a header, and skips those of other versions. */
function readSignatures(header: string): readonly Buffer[] {
  const signatures: Buffer[] = [];
  for (const one of header.split(' ')) {
    const base64 = SIGNATURE.exec(one)?.[1];
    if (base64 !== undefined) signatures.push(Buffer.from(base64, 'base64'));
    if (signatures.length === MAX_SIGNATURES) break;
  }
  return signatures;
}
