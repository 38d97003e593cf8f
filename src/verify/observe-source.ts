/** Takes what verification rejects, for as long as a source is observed. */
import { readMessageId } from '../event/message-id.ts';
import { presetNames } from '../contract/source-verification.ts';
import type { RawDelivery, VerifiedDelivery } from '../event/delivery.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { createVerifier, type Verifier } from './create-verifier.ts';
import { optionsToTry } from './read-proof.ts';
import { nameOfProof, type VerifyOptions } from './verify-options.ts';

/** Headers of the connection, of proxies, of browsers and of traces: they prove no sender. */
const NO_PROOF = new Set([
  'connection',
  'content-length',
  'cookie',
  'host',
  'keep-alive',
  'proxy-authorization',
  'traceparent',
  'transfer-encoding',
]);

/** Stands for a value that is not stored. */
const HIDDEN = '***';

/**
 * Wraps the verifier of a source that is observed: what it rejects is taken, without proof and with all headers that
 * may prove it, so that the proof can be found: of one with a secret of the source, the name alone. Each is tried as
 * one of a known sender, too. Afterwards the verifier decides again.
 *
 * @param until milliseconds since 1970; null for ever
 */
export function observing(
  verify: Verifier,
  options: VerifyOptions,
  { clock, until }: { readonly clock: Clock; readonly until: number | null },
): Verifier {
  const { scheme, messageIdHeader, trustMessageId = false } = options;
  const secrets = 'secrets' in options ? options.secrets : [];
  const senders = knownSenders(options, secrets, clock);

  function passed(delivery: VerifiedDelivery): VerifiedDelivery {
    return { ...delivery, observed: { scheme: nameOfProof(options), result: 'passed' } };
  }

  function taken(delivery: RawDelivery, reason: string | null): VerifiedDelivery {
    const { source, receivedAt, headers: sent, body } = delivery;
    const fitting = senders.find((sender) => passes(sender.verify, delivery));
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(sent))
      if (!NO_PROOF.has(name)) headers[name] = hasSecret(value, secrets) ? HIDDEN : value;
    const id = headers[messageIdHeader];
    const messageId = id === HIDDEN ? null : readMessageId(id);
    return {
      ...{ stage: 'verified', source, senderVerified: false, receivedAt, headers, body, messageId },
      messageIdTrusted: trustMessageId && messageId !== null,
      ...(!trustMessageId && { isBodyOpen: true }),
      observed: fitting
        ? { scheme: fitting.name, result: 'passed' }
        : { scheme: 'none', result: reason ?? 'missing' },
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

/** The known senders besides the configured one, under each secret that is in their form. */
function knownSenders(configured: VerifyOptions, secrets: readonly string[], clock: Clock) {
  const others = presetNames.filter((name) => name !== nameOfProof(configured));
  return others.flatMap((name) =>
    secrets.flatMap((secret) => {
      const options = optionsToTry(name, [secret]);
      try {
        return options ? [{ name, verify: createVerifier(options, { clock }) }] : [];
      } catch {
        return [];
      }
    }),
  );
}

function passes(verify: Verifier, delivery: RawDelivery): boolean {
  try {
    void verify(delivery);
    return true;
  } catch (error) {
    reasonOf(error);
    return false;
  }
}

/** Whether a header has a secret: as it is, in the bytes of UTF-8, or in base64, as after `Basic`. */
function hasSecret(value: string, secrets: readonly string[]): boolean {
  const encoded = value.match(/[\w+/-]+/g) ?? [];
  const readings = [
    value,
    Buffer.from(value, 'latin1').toString(),
    ...encoded.map((text) => Buffer.from(text, 'base64').toString()),
  ];
  // A sender may leave out the prefix of a secret.
  return secrets.some((secret) => readings.some((text) => text.includes(secret.replace(/^whsec_/, ''))));
}

/** @throws what is no rejection of the proof */
function reasonOf(error: unknown): string | null {
  if (PortariaError.is(error, 'not-verified')) return error.reason;
  throw error;
}
