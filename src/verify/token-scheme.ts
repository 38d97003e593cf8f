import { PortariaError } from '../kernel/errors.ts';
import { requiredHeader } from './required-header.ts';
import { fingerprint, sameAsAny } from './same-secret.ts';
import type { Scheme } from './scheme.ts';
import type { TokenOptions } from './verify-options.ts';

/** The header holds one of the secrets, exactly. */
export function tokenScheme({ header, secrets }: TokenOptions): Scheme {
  const known = secrets.map((secret) => fingerprint(secret));
  return (delivery) => {
    // Node reads the bytes of a header as Latin-1; beyond ASCII, senders write UTF-8.
    const given = fingerprint(Buffer.from(requiredHeader(delivery, header), 'latin1'));
    if (!sameAsAny(given, known))
      throw new PortariaError('not-verified', `The token in the header ${header} is not a known one`);
  };
}
