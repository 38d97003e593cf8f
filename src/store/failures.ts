/** Failed deliveries in groups of one handler and one kind of error. */
import type { DeliveryRecord } from './queries.ts';

/** Failed deliveries of one handler whose errors are of one kind. */
export interface FailureGroup {
  readonly handler: string;
  /** The fingerprint of the kind of error: 12 hexadecimal digits. The same in every store. */
  readonly error: string;
  /** Deliveries that failed for good. */
  readonly dead: number;
  /** Unfinished deliveries whose last attempt failed so: 1,000 at most are counted. */
  readonly failing: number;
  /** When it happened first and last, in milliseconds since 1970. The first counts from when nothing had failed so. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** The newest such delivery. */
  readonly sample: DeliveryRecord;
}

/** Failed deliveries by kind of error. Their cost grows with the groups, not with the deliveries. */
export interface Failures {
  /** The groups, that which happened last first. */
  failureGroups(filter: { readonly handler?: string }): Promise<readonly FailureGroup[]>;
}
