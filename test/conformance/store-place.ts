import type { Clock } from '../../src/kernel/time/clock.ts';
import type { Store, StoreRole } from '../../src/store/store.ts';

/** The limits of a store; its defaults where not given. */
export interface PlaceLimits {
  readonly maxQuarantineBytes?: number;
}

/** A place where a store can be opened, closed and reopened. */
export interface StorePlace {
  open(role: StoreRole, clock: Clock, limits?: PlaceLimits): Promise<Store>;
  /**
   * Returns a copy of the place after a power failure: with everything committed,
   * and nothing that was only in memory.
   */
  afterPowerFailure(): Promise<StorePlace>;
  /** Removes the place. All its stores must be closed. */
  remove(): Promise<void>;
}

/** An implementation of the store that the suite tests. */
export interface StoreKind {
  readonly name: string;
  /** Whether several processes can dispatch from one place. */
  readonly shared?: boolean;
  /** The checks that fail because of the server and the clock of the tests. */
  readonly failingChecks?: readonly string[];
  /** Creates an empty place. */
  place(): Promise<StorePlace>;
}
