/** Takes what verification rejects, for as long as a source is observed. */
import { readMessageId } from '../event/message-id.ts';
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Verifier } from './create-verifier.ts';
import type { NotVerified } from './headers.ts';
import type { VerifyOptions } from './verify-options.ts';

/** Headers of the connection and of browsers: they prove no sender. */
const NO_PROOF = new Set([
  'connection',
  'content-length',
  'cookie',
  'host',
  'keep-alive',
  'transfer-encoding',
]);

/**
 * Wraps the verifier of a source that is observed: what it rejects is taken, without proof and with all headers that
 * may prove it, so that the proof can be found. Afterwards the verifier decides again.
 *
 * @param until milliseconds since 1970; null for ever
 */
export function observing(
  verify: Verifier,
  { scheme, messageIdHeader, trustMessageId = false }: VerifyOptions,
  { clock, until }: { readonly clock: Clock; readonly until: number | null },
): Verifier {
  function passed(delivery: VerifiedDelivery): VerifiedDelivery {
    return { ...delivery, observed: { scheme, result: 'passed' } };
  }

  function taken({ source, receivedAt, headers, body }: RawDelivery, error?: unknown): VerifiedDelivery {
    if (error !== undefined && !PortariaError.is(error, 'not-verified')) throw error;
    const messageId = readMessageId(headers[messageIdHeader]);
    return {
      ...{ stage: 'verified', source, senderVerified: false, receivedAt, body, messageId },
      messageIdTrusted: trustMessageId && messageId !== null,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !NO_PROOF.has(name))),
      observed: { scheme, result: error?.reason ?? 'missing' },
    };
  }

  return (delivery) => {
    if (until !== null && clock.now() >= until) return verify(delivery);
    if (scheme === 'none') return taken(delivery);
    try {
      const verified = verify(delivery);
      return verified instanceof Promise
        ? verified.then(passed, (error: unknown) => taken(delivery, error))
        : passed(verified);
    } catch (error) {
      return taken(delivery, error);
    }
  };
}

/** What became of a delivery of an observed source. */
export type ObservedResult = 'passed' | NotVerified;
