/** Reads and selects the headers of a delivery. */
import { TRACEPARENT, validTraceparent } from '../kernel/http/traceparent.ts';
import { storedWithEvery, type RawDelivery } from '../event/delivery.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Proof, VerifyOptions } from './verify-options.ts';

/** Why a sender is not verified. */
export type NotVerified = 'missing' | 'malformed' | 'repeated' | 'mismatch' | 'too-old' | 'too-new';

export function notVerified(
  reason: NotVerified,
  message: string,
  clockSeconds?: number,
  cause?: unknown,
): PortariaError {
  return new PortariaError('not-verified', message, { reason, cause, ...(clockSeconds && { clockSeconds }) });
}

/**
 * Returns the value of a header that verification requires.
 *
 * Node joins a repeated header with a comma, and the joined value matches no scheme.
 *
 * @throws PortariaError `not-verified`
 */
export function requiredHeader({ headers }: Pick<RawDelivery, 'headers'>, name: string): string {
  const value = headers[name];
  if (value === undefined) throw notVerified('missing', `The header ${name} is missing`);
  if (value === '') throw notVerified('missing', `The header ${name} is empty`);
  return value;
}

/** The header that proves the sender; null where none does. */
export function proofHeader(proof: Proof): string | null {
  switch (proof.scheme) {
    case 'none':
    case 'function':
      return null;
    case 'standard':
      return 'webhook-signature';
    case 'basic':
      return 'authorization';
    case 'token':
      return proof.header ?? null;
    case 'hmac':
    case 'signed':
    case 'jwt':
      return proof.header;
  }
}

/** Selects the headers that are stored with a delivery. */
export type SelectHeaders = (headers: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;

/**
 * Creates the selection of stored headers of one source, without the header that proves the sender. It returns
 * the same object while the values stay the same, so that the store serializes it once.
 */
export function storedHeaders(options: VerifyOptions): SelectHeaders {
  const names = new Set([...storedWithEvery, options.messageIdHeader, ...(options.storedHeaders ?? [])]);
  for (const name of ['authorization', 'webhook-signature', proofHeader(options) ?? '']) names.delete(name);
  let last: Readonly<Record<string, string>> = {};
  return (headers) => {
    for (const name of names) if (headers[name] !== last[name]) return (last = pick(headers, names));
    return last;
  };
}

function pick(headers: Readonly<Record<string, string>>, names: Iterable<string>): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    // One that is not valid is nobody's, and might be anything.
    if (value !== undefined && (name !== TRACEPARENT || validTraceparent(value) !== null))
      picked[name] = value;
  }
  return picked;
}
