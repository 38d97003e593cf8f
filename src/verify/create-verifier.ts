import type { Clock } from '../kernel/clock.ts';
import { hmacScheme } from './hmac-scheme.ts';
import { keptHeaders } from './kept-headers.ts';
import { readMessageId } from './message-id.ts';
import type { Scheme } from './scheme.ts';
import { standardScheme } from './standard-scheme.ts';
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
  return (delivery) => {
    verify(delivery);
    return {
      stage: 'verified',
      source: delivery.source,
      senderVerified,
      receivedAt: delivery.receivedAt,
      headers: keep(delivery.headers),
      body: delivery.body,
      messageId: readMessageId(delivery.headers[messageIdHeader]),
    };
  };
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
