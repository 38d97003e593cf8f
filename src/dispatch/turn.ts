import type { ClaimedDelivery } from '../store/lane-queue.ts';

/** A lane's turn at running its deliveries. */
export interface Turn {
  /** Whether it finds out if a paused handler is well again. */
  readonly probe: boolean;
  /** Asked when the outcome is recorded: whether this lane may go on at once. */
  next(): boolean;
  /** Told what follows in the lane, when it may go on and that is due. */
  recorded(following: ClaimedDelivery | null): void;
}
