import type { RawDelivery } from '../event/raw-delivery.ts';
import { PortariaError } from '../kernel/errors.ts';

/**
 * The value of a header without which nothing can be verified.
 *
 * A header that was sent twice comes joined by a comma, and then fits no
 * scheme: which of the two was meant is not for us to guess.
 *
 * @throws PortariaError `not-verified`.
 */
export function requiredHeader(delivery: RawDelivery, name: string): string {
  const value = delivery.headers[name];
  if (value === undefined) throw new PortariaError('not-verified', `The header ${name} is missing`);
  if (value === '') throw new PortariaError('not-verified', `The header ${name} is empty`);
  return value;
}
