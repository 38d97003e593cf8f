/** What names a lane. */
import type { LaneOrder } from '../../route.ts';

/** Identifies a lane: its handler, and its number among the handler's lanes. */
export interface LaneKey {
  readonly handler: string;
  readonly lane: number;
}

/** Returns the name of a lane in sets and maps. */
export function laneKey(handler: string, lane: number): string {
  return `${String(lane)} ${handler}`;
}

/** Returns the lane of a delivery. Subjects are numbered from 1, so the three ranges do not meet. */
export function laneOf(order: LaneOrder, subjectId: number, deliveryId: number): number {
  switch (order) {
    case 'subject':
      return subjectId;
    case 'handler':
      return 0;
    case 'none':
      return -deliveryId;
  }
}
