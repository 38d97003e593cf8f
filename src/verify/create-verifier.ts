/** Chooses how a source's senders are verified, and has the scheme of an HMAC of the body. */
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { basicScheme, tokenScheme } from './credentials.ts';
import { functionScheme } from './function-scheme.ts';
import { messageIdOf, readMessageId } from '../event/message-id.ts';
import { notVerified, proofHeader, storedHeaders, requiredHeader } from './headers.ts';
import { jwtScheme } from './jwt-scheme.ts';
import { isBodyOpen } from './read-proof.ts';
import { signedNames, signedScheme } from './signed/signed-scheme.ts';
import { STANDARD_HEADERS, standardScheme } from './standard-webhooks.ts';
import type { HmacOptions, Scheme, SlowScheme, VerifyOptions } from './verify-options.ts';
import { createHmac } from 'node:crypto';
import { equalsAny, fingerprint } from '../kernel/equal-secrets.ts';

/**
 * Verifies the sender of a delivery.
 *
 * @throws PortariaError `not-verified`. The message says what is missing or wrong, never the expected value.
 */
export type Verifier = (delivery: RawDelivery) => VerifiedDelivery | Promise<VerifiedDelivery>;

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
  const signed = options.scheme === 'signed' ? signedNames(options) : NOTHING_SIGNED;
  const trustsId = trustsMessageId(options, signed.ids);
  const singleHeaders = headersSentOnce(options, signed.headers);
  const singleParameters = options.scheme === 'token' ? [options.query ?? ''] : signed.parameters;
  const isOpen = isBodyOpen(options);
  const isFunction = options.scheme === 'function';
  return (delivery) => {
    const { repeatedHeaders = NONE, repeatedQuery = NONE } = delivery;
    if (repeatedHeaders.length > 0) rejectRepeated('header', repeatedHeaders, singleHeaders);
    if (repeatedQuery.length > 0)
      // A function sees the last value alone.
      rejectRepeated('query parameter', repeatedQuery, isFunction ? repeatedQuery : singleParameters);
    const proven = verify(delivery);
    return proven instanceof Promise
      ? proven.then((id) => verified(delivery, id))
      : verified(delivery, proven);
  };

  /** @param provenId the message id that the proof itself has */
  function verified(delivery: RawDelivery, provenId: string | undefined): VerifiedDelivery {
    const { repeatedHeaders = NONE, headers } = delivery;
    const sentId = repeatedHeaders.includes(messageIdHeader) ? undefined : headers[messageIdHeader];
    const messageId = provenId === undefined ? readMessageId(sentId) : messageIdOf(provenId);
    return {
      stage: 'verified',
      source: delivery.source,
      senderVerified,
      receivedAt: delivery.receivedAt,
      headers: selectHeaders(headers),
      body: delivery.body,
      messageId,
      messageIdTrusted: (trustsId || provenId !== undefined) && messageId !== null,
      ...(isOpen && { isBodyOpen: isOpen }),
    };
  }
}

const NONE: readonly string[] = [];
const NOTHING_SIGNED = { headers: NONE, parameters: NONE, ids: NONE };

/** A signature covers the id that it signs, and no other: `webhook-id`, for Standard Webhooks. */
function trustsMessageId(
  { scheme, messageIdHeader, trustMessageId = false }: VerifyOptions,
  signedIds: readonly string[],
): boolean {
  if (trustMessageId) return true;
  return scheme === 'standard' ? messageIdHeader === 'webhook-id' : signedIds.includes(messageIdHeader);
}

/**
 * The headers that identify sender and message, and must not be repeated. Scheme `none` has none.
 *
 * @param signed those that the signature covers
 */
function headersSentOnce(options: VerifyOptions, signed: readonly string[]): readonly string[] {
  const { scheme, messageIdHeader } = options;
  if (scheme === 'none') return [];
  const more = scheme === 'standard' ? STANDARD_HEADERS : signed;
  // Node drops the second `authorization`, which a function could not see.
  return [proofHeader(options) ?? '', 'authorization', ...more, messageIdHeader];
}

/**
 * Rejects a repeated header or parameter. Node joins some of them and drops the second of others; the receiver must not
 * guess which value the sender meant.
 *
 * @throws PortariaError `not-verified`
 */
function rejectRepeated(what: string, repeated: readonly string[], sentOnce: readonly string[]): void {
  const name = sentOnce.find((one) => repeated.includes(one));
  if (name !== undefined)
    throw notVerified('repeated', `The ${what} ${name} was sent more than once; send it once`);
}

function createScheme(options: VerifyOptions, clock: Clock): Scheme | SlowScheme {
  switch (options.scheme) {
    case 'none':
      return () => undefined;
    case 'token':
      return tokenScheme(options);
    case 'hmac':
      return hmacScheme(options);
    case 'standard':
      return standardScheme(options, clock);
    case 'signed':
      return signedScheme(options, clock);
    case 'basic':
      return basicScheme(options);
    case 'jwt':
      return jwtScheme(options, clock);
    case 'function':
      return functionScheme(options, clock);
  }
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
    return undefined;
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
