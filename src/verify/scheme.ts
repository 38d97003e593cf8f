import type { RawDelivery } from '../event/raw-delivery.ts';

/**
 * One way of telling who sent a delivery.
 *
 * @throws PortariaError `not-verified`.
 */
export type Scheme = (delivery: RawDelivery) => void;
