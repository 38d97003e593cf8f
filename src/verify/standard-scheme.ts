import type { Clock } from '../kernel/time/clock.ts';
import { PortariaError } from '../kernel/errors.ts';
import { requiredHeader } from './required-header.ts';
import { sameAsAny } from './same-secret.ts';
import type { Scheme } from './scheme.ts';
import { readSignatures, readStandardKey, standardSigner } from './standard-signature.ts';
import type { StandardOptions } from './verify-options.ts';

/** What a sender by the standard sends beside the body. */
export const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** What the standard recommends and its library uses. */
const TOLERANCE_SECONDS = 300;
/** Signatures of a message that are looked at. A sender that rotates its secrets sends one for each, so two. */
const MAX_SIGNATURES = 10;

/**
 * Standard Webhooks, symmetric signatures (`v1`).
 *
 * @throws PortariaError `misconfigured` when a secret is not base64.
 */
export function standardScheme(options: StandardOptions, clock: Clock): Scheme {
  const signers = options.secrets.map((secret, index) => standardSigner(readKey(secret, index + 1)));
  const tolerance = options.toleranceSeconds ?? TOLERANCE_SECONDS;

  return (delivery) => {
    const messageId = requiredHeader(delivery, 'webhook-id');
    const at = readTimestamp(requiredHeader(delivery, 'webhook-timestamp'));
    const header = requiredHeader(delivery, 'webhook-signature');
    // As two headers are joined; no signature ends in a comma.
    if (header.includes(', '))
      throw new PortariaError(
        'not-verified',
        'The header webhook-signature was sent more than once; send it once',
      );
    const signatures = readSignatures(header, MAX_SIGNATURES);
    if (signatures.length === 0)
      throw new PortariaError('not-verified', 'The header webhook-signature holds no v1 signature');
    refuseFarOff(at, Math.floor(clock.now() / 1000), tolerance);

    const fits = signers.filter((sign) => sameAsAny(sign(messageId, at, delivery.body), signatures));
    if (fits.length === 0)
      throw new PortariaError('not-verified', 'No signature in webhook-signature fits the message');
  };
}

/** Seconds since 1970; plain digits only, since it is signed as the number it is. */
function readTimestamp(value: string): number {
  if (/^\d{1,12}$/.test(value)) return Number(value);
  throw new PortariaError('not-verified', 'The header webhook-timestamp must be seconds since 1970');
}

/** Keeps recorded messages from being sent again later. */
function refuseFarOff(at: number, now: number, tolerance: number): void {
  if (Math.abs(now - at) <= tolerance) return;
  const side = at < now ? 'old' : 'far in the future';
  throw new PortariaError(
    'not-verified',
    `The header webhook-timestamp is too ${side}: more than ${String(tolerance)} seconds`,
  );
}

function readKey(secret: string, place: number): Uint8Array {
  const key = readStandardKey(secret);
  if (key !== null) return key;
  throw new PortariaError(
    'misconfigured',
    `Secret ${String(place)} of scheme standard must be base64, with or without whsec_ before it`,
  );
}
