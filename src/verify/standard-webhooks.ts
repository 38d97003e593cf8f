/** The scheme of Standard Webhooks: verifies and signs. */
import { createSecretKey } from 'node:crypto';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { notVerified, requiredHeader } from './headers.ts';
import { hmacOf, readKey, type MatchesKey } from './signed/keys.ts';
import { checkTimestamp, TOLERANCE_SECONDS } from './timestamps.ts';
import type { Scheme, StandardOptions } from './verify-options.ts';

/** The headers of a signed message. */
export const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** Signatures that are checked. A sender that rotates its secrets sends one for each, so two. */
const MAX_SIGNATURES = 10;

/**
 * Scheme `standard`: Standard Webhooks with symmetric signatures (`v1`), and those of Ed25519 (`v1a`) under public
 * keys (`whpk_…`).
 *
 * @throws PortariaError `misconfigured` when a secret is not base64, or a public key is not one
 */
export function standardScheme(options: StandardOptions, clock: Clock): Scheme {
  const keys = options.secrets.map((secret, at) => keyOf(secret, at + 1));
  const versions = [...new Set(keys.map(({ version }) => version))];
  const tolerance = options.toleranceSeconds ?? TOLERANCE_SECONDS;

  return (delivery) => {
    const messageId = requiredHeader(delivery, 'webhook-id');
    const at = readTimestamp(requiredHeader(delivery, 'webhook-timestamp'));
    const header = requiredHeader(delivery, 'webhook-signature');
    // Node joins repeated headers this way; no signature ends in a comma.
    if (header.includes(', '))
      throw notVerified('repeated', 'The header webhook-signature was sent more than once; send it once');
    const signatures = versions.map((version) => [version, readSignatures(header, version)] as const);
    if (signatures.every(([, found]) => found.length === 0))
      throw notVerified(
        'malformed',
        `The header webhook-signature contains no ${versions.join(' or ')} signature`,
      );
    checkTimestamp('webhook-timestamp', at, Math.floor(clock.now() / 1000), tolerance);

    const content = [`${messageId}.${String(at)}.`, delivery.body];
    // Every secret is tried, so that the time does not show which one matched.
    const matching = keys.filter(({ version, matches }) => {
      const found = signatures.find(([one]) => one === version)?.[1] ?? [];
      return matches(content, found);
    });
    if (matching.length === 0)
      throw notVerified('mismatch', 'No signature in webhook-signature matches the message');
    return undefined;
  };
}

/** Reads seconds since 1970. Digits only: the signature covers the number in this form. */
function readTimestamp(value: string): number {
  if (/^\d{1,12}$/.test(value)) return Number(value);
  throw notVerified('malformed', 'The header webhook-timestamp must be seconds since 1970');
}

type Version = 'v1' | 'v1a';

interface Key {
  readonly version: Version;
  readonly matches: MatchesKey;
}

function keyOf(secret: string, number: number): Key {
  const version = secret.startsWith('whpk_') ? 'v1a' : 'v1';
  const { value, mistake } = readKey(version === 'v1a' ? 'ed25519' : 'sha256', 'base64', secret);
  if (value !== undefined) return { version, matches: value };
  throw new PortariaError('misconfigured', `Secret ${String(number)} of scheme standard ${mistake}`);
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
  return (messageId, at, body) => hmacOf('sha256', secret, [`${messageId}.${String(at)}.`, body]);
}

/** Writes a signature for the header. Several are separated by spaces. */
export function signatureText(signature: Buffer): string {
  return `v1,${signature.toString('base64')}`;
}

const SIGNATURES = { v1: /^v1,([A-Za-z0-9+/]{43}=)$/, v1a: /^v1a,([A-Za-z0-9+/]{86}==)$/ } as const;

/** Reads the first signatures of a version in a header, and skips those of others. */
function readSignatures(header: string, version: Version): readonly Buffer[] {
  const signatures: Buffer[] = [];
  for (const one of header.split(' ')) {
    const base64 = SIGNATURES[version].exec(one)?.[1];
    if (base64 !== undefined) signatures.push(Buffer.from(base64, 'base64'));
    if (signatures.length === MAX_SIGNATURES) break;
  }
  return signatures;
}
