/**
 * Which deliveries of a handler run one at a time, in arrival order.
 *
 * - `subject`: those of one subject (the default).
 * - `handler`: all.
 * - `none`: none; deliveries do not wait for each other.
 */
export type LaneOrder = 'subject' | 'handler' | 'none';

/** A handler that matches an event: the store adds one delivery for it. */
export interface Route {
  readonly handler: string;
  readonly order: LaneOrder;
  /** Whether the handler takes stale events; otherwise they are stored as skipped. */
  readonly stale: boolean;
}
