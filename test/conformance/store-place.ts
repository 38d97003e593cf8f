import type { Clock } from '../../src/kernel/time/clock.ts';
import type { Store, StoreRole } from '../../src/store/store.ts';

/** What a store is to keep within; the store's own limits unless given. */
export interface PlaceLimits {
  readonly maxQuarantineBytes?: number;
}

/** Somewhere a store can be opened, closed and opened again. */
export interface StorePlace {
  open(role: StoreRole, clock: Clock, limits?: PlaceLimits): Promise<Store>;
  /**
   * Another place with what would be there if the power failed now: all that
   * was committed, and nothing that was only in memory.
   */
  afterPowerFailure(): Promise<StorePlace>;
  /** After all that was opened there is closed. */
  remove(): Promise<void>;
}

/** A kind of store that the suite is run against. */
export interface StoreKind {
  readonly name: string;
  /** Whether what is stored outlives its process, and others may open it at the same time. */
  readonly durable: boolean;
  /** A new, empty place. */
  place(): Promise<StorePlace>;
}
