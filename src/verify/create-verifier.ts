/** Chooses how a source's senders are verified, and has the schemes whose proof is one header. */
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { notVerified, readMessageId, storedHeaders, requiredHeader } from './headers.ts';
import { STANDARD_HEADERS, standardScheme } from './standard-webhooks.ts';
import type { Scheme, VerifyOptions, HmacOptions, TokenOptions } from './verify-options.ts';
import { createHmac } from 'node:crypto';
import { equalsAny, fingerprint } from '../kernel/equal-secrets.ts';

/**
 * Verifies the sender of a delivery.
 *
 * @throws PortariaError `not-verified`. The message says what is missing or wrong, never the expected value.
 */
export type Verifier = (delivery: RawDelivery) => VerifiedDelivery;

/**
 * Creates the verifier of one source.
 *
 * @throws PortariaError `misconfigured` when a secret is invalid for the scheme
 */
export function createVerifier(options: VerifyOptions, { clock }: { readonly clock: Clock }): Verifier {
  const verify = createScheme(options, clock);
  const selectHeaders = storedHeaders(options);
  const { messageIdHeader } = options;
  const senderVerified = options.scheme !== 'none';
  const trustsId = trustsMessageId(options);
  const singleHeaders = headersSentOnce(options);
  return (delivery) => {
    const { repeatedHeaders = NONE } = delivery;
    if (repeatedHeaders.length > 0) rejectRepeated(repeatedHeaders, singleHeaders);
    verify(delivery);
    const messageId = repeatedHeaders.includes(messageIdHeader)
      ? null
      : readMessageId(delivery.headers[messageIdHeader]);
    return {
      stage: 'verified',
      source: delivery.source,
      senderVerified,
      receivedAt: delivery.receivedAt,
      headers: selectHeaders(delivery.headers),
      body: delivery.body,
      messageId,
      messageIdTrusted: trustsId && messageId !== null,
    };
  };
}

const NONE: readonly string[] = [];

/** A signature by Standard Webhooks covers `webhook-id`, and no other id header. */
function trustsMessageId({ scheme, messageIdHeader, trustMessageId = false }: VerifyOptions): boolean {
  return trustMessageId || (scheme === 'standard' && messageIdHeader === 'webhook-id');
}

/** The headers that identify sender and message, and must not be repeated. Scheme `none` has none. */
function headersSentOnce(options: VerifyOptions): readonly string[] {
  switch (options.scheme) {
    case 'none':
      return [];
    case 'token':
    case 'hmac':
      return [options.header, options.messageIdHeader];
    case 'standard':
      return [...STANDARD_HEADERS, options.messageIdHeader];
  }
}

/**
 * Rejects a repeated header. Node joins some of them and drops the second of others; the receiver must not
 * guess which value the sender meant.
 *
 * @throws PortariaError `not-verified`
 */
function rejectRepeated(repeated: readonly string[], sentOnce: readonly string[]): void {
  const name = sentOnce.find((one) => repeated.includes(one));
  if (name !== undefined)
    throw notVerified('repeated', `The header ${name} was sent more than once; send it once`);
}

function createScheme(options: VerifyOptions, clock: Clock): Scheme {
  switch (options.scheme) {
    case 'none':
      return () => undefined;
    case 'token':
      return tokenScheme(options);
    case 'hmac':
      return hmacScheme(options);
    case 'standard':
      return standardScheme(options, clock);
  }
}

/** Scheme `token`: the header contains one of the secrets. */
export function tokenScheme({ header, secrets }: TokenOptions): Scheme {
  const known = secrets.map((secret) => fingerprint(secret));
  return (delivery) => {
    // Node decodes header bytes as Latin-1; senders write UTF-8.
    const given = fingerprint(Buffer.from(requiredHeader(delivery, header), 'latin1'));
    if (!equalsAny(given, known))
      throw notVerified('mismatch', `The token in the header ${header} is not a known one`);
  };
}

/** Scheme `hmac`: the header contains the HMAC-SHA-256 of the body under one of the secrets. */
export function hmacScheme({ header, secrets }: HmacOptions): Scheme {
  return (delivery) => {
    const signature = readSignature(requiredHeader(delivery, header));
    if (signature === undefined)
      throw notVerified('malformed', `The header ${header} must contain one HMAC-SHA-256, in hex or base64`);
    const expected = secrets.map((secret) =>
      fingerprint(createHmac('sha256', secret).update(delivery.body).digest()),
    );
    if (!equalsAny(fingerprint(signature), expected))
      throw notVerified('mismatch', `The signature in the header ${header} does not match the body`);
  };
}

/** Reads 32 bytes in hex or base64, of any case, alphabet and padding, with or without the prefix `sha256=`. */
function readSignature(value: string): Buffer | undefined {
  const text = value.replace(/^sha256=/i, '');
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  // 43 characters of base64 are 32 bytes and two bits; Buffer drops the bits.
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return Buffer.from(text, 'base64');
  return undefined;
}
