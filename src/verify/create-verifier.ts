/** Chooses how a source's senders are verified. */
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { hmacScheme, tokenScheme } from './header-schemes.ts';
import { readMessageId, storedHeaders } from './headers.ts';
import { STANDARD_HEADERS, standardScheme } from './standard-webhooks.ts';
import type { Scheme, VerifyOptions } from './verify-options.ts';

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
    throw new PortariaError('not-verified', `The header ${name} was sent more than once; send it once`);
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
