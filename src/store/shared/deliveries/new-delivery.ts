/** What a store is given to queue a delivery. */
import type { JsonValue } from '../../../kernel/json/json.ts';
import type { LaneOrder } from '../../route.ts';

/** A delivery to store: of an event to a handler, or of a machine's effect. */
export interface NewDelivery {
  readonly eventId: number;
  readonly subjectId: number;
  readonly handler: string;
  readonly order: LaneOrder;
  /** 0 for a first delivery. */
  readonly replayId: number;
  readonly effect?: { readonly name: string; readonly change: JsonValue; readonly late: boolean };
  /** The reason to store it as skipped. */
  readonly skip?: string;
}
