/**
 * What runs one at a time.
 *
 * - `subject`: the events of one subject, in arrival order (the default).
 * - `handler`: everything of the handler, in arrival order.
 * - `none`: nothing waits for anything.
 */
export type LaneOrder = 'subject' | 'handler' | 'none';

/** That a handler wants an event: one delivery will be stored for it. */
export interface Route {
  readonly handler: string;
  readonly order: LaneOrder;
  /** Whether it wants stale events; if not, they are recorded as skipped. */
  readonly stale: boolean;
}
