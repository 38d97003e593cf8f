import type { RawDelivery } from '../event/raw-delivery.ts';
import type { VerifiedDelivery } from '../event/verified-delivery.ts';

/**
 * Tells whether a delivery comes from whom it should.
 *
 * @throws PortariaError `not-verified`, whose message says what is missing or
 *   wrong and never what would have been right.
 */
export type Verifier = (delivery: RawDelivery) => VerifiedDelivery;
