import type { ClaimedDelivery, UnreadDelivery } from '../store/lane-queue.ts';

/** What was claimed of a lane behind a delivery that has ended, if it may go on and more of it is due. */
export type Following = ClaimedDelivery | UnreadDelivery | null;

/** A lane's turn at running its deliveries. */
export interface Turn {
  /** Whether it finds out if a paused handler is well again. */
  readonly probe: boolean;
  /** Asked when the outcome is recorded: whether this lane may go on at once. */
  next(): boolean;
  /** Told what follows in the lane, when it may go on and that is due. */
  recorded(following: Following): void;
}
