/** Takes what verification rejects, for as long as a source is observed. */
import { readMessageId } from '../event/message-id.ts';
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Verifier } from './create-verifier.ts';
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

  function taken(
    { source, receivedAt, headers, body }: RawDelivery,
    reason: string | null,
  ): VerifiedDelivery {
    const messageId = readMessageId(headers[messageIdHeader]);
    return {
      ...{ stage: 'verified', source, senderVerified: false, receivedAt, body, messageId },
      messageIdTrusted: trustMessageId && messageId !== null,
      ...(!trustMessageId && { isBodyOpen: true }),
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !NO_PROOF.has(name))),
      observed: { scheme, result: reason ?? 'missing' },
    };
  }

  return (delivery) => {
    if (until !== null && clock.now() >= until) return verify(delivery);
    if (scheme === 'none') return taken(delivery, null);
    try {
      const verified = verify(delivery);
      return verified instanceof Promise
        ? verified.then(passed, (error: unknown) => taken(delivery, reasonOf(error)))
        : passed(verified);
    } catch (error) {
      return taken(delivery, reasonOf(error));
    }
  };
}

/** @throws what is no rejection of the proof */
function reasonOf(error: unknown): string | null {
  if (PortariaError.is(error, 'not-verified')) return error.reason;
  throw error;
}
