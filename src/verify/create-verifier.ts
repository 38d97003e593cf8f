import type { Clock } from '../kernel/time/clock.ts';
import { PortariaError } from '../kernel/errors.ts';
import { hmacScheme } from './hmac-scheme.ts';
import { keptHeaders } from './kept-headers.ts';
import { readMessageId } from './message-id.ts';
import type { Scheme } from './scheme.ts';
import { STANDARD_HEADERS, standardScheme } from './standard-scheme.ts';
import { tokenScheme } from './token-scheme.ts';
import type { Verifier } from './verifier.ts';
import type { VerifyOptions } from './verify-options.ts';

/**
 * The verifier of one source.
 *
 * @throws PortariaError `misconfigured` when a secret cannot be one of the scheme.
 */
export function createVerifier(options: VerifyOptions, { clock }: { readonly clock: Clock }): Verifier {
  const verify = createScheme(options, clock);
  const keep = keptHeaders(options);
  const { messageIdHeader } = options;
  const senderVerified = options.scheme !== 'none';
  const trusted = trustsMessageId(options);
  const decisive = decisiveHeaders(options);
  return (delivery) => {
    const { repeatedHeaders = NONE } = delivery;
    if (repeatedHeaders.length > 0) refuseRepeated(repeatedHeaders, decisive);
    verify(delivery);
    const messageId = repeatedHeaders.includes(messageIdHeader)
      ? null
      : readMessageId(delivery.headers[messageIdHeader]);
    return {
      stage: 'verified',
      source: delivery.source,
      senderVerified,
      receivedAt: delivery.receivedAt,
      headers: keep(delivery.headers),
      body: delivery.body,
      messageId,
      messageIdTrusted: trusted && messageId !== null,
    };
  };
}

const NONE: readonly string[] = [];

/** Of what Standard Webhooks signs, the id is the one in its own header, whatever else a sender calls its id. */
function trustsMessageId({ scheme, messageIdHeader, trustMessageId = false }: VerifyOptions): boolean {
  return trustMessageId || (scheme === 'standard' && messageIdHeader === 'webhook-id');
}

/** The headers that say who sent a delivery and which one it is. Without a scheme nothing does. */
function decisiveHeaders(options: VerifyOptions): readonly string[] {
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
 * Node joins some headers that are sent twice and drops the second of others. Which of the two the sender
 * meant is not for the receiver to guess.
 *
 * @throws PortariaError `not-verified`
 */
function refuseRepeated(repeated: readonly string[], decisive: readonly string[]): void {
  const name = decisive.find((one) => repeated.includes(one));
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
