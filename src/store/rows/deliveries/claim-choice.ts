import type { ClaimRequest } from '../../lane-queue.ts';
import type { StartedDelivery } from './claimed-delivery.ts';

/** The first unfinished delivery of a lane in which none runs. */
export interface LaneHead extends StartedDelivery {
  readonly due_at: number;
  /** 1 once a crash has interrupted the delivery. */
  readonly cut_short: number;
}

/** Returns the candidates that are due, up to the limits of the request. */
export function chosenOf(
  candidates: readonly LaneHead[],
  { now, limit, prefetch = 0 }: ClaimRequest,
): readonly LaneHead[] {
  const chosen: LaneHead[] = [];
  for (const head of candidates) {
    const fits =
      chosen.length < limit || (chosen.length < limit + prefetch && isUninterruptedFirstAttempt(head));
    if (head.due_at <= now && fits) chosen.push(head);
  }
  return chosen;
}

/** A delivery that crashes the process is not prefetched twice: it would waste the attempts of others. */
function isUninterruptedFirstAttempt({ attempt, cut_short: interrupted }: LaneHead): boolean {
  return attempt === 1 && interrupted === 0;
}

/** The first of each list by due time, then the second of each, and so on. */
export function interleaved(lists: readonly (readonly LaneHead[])[]): readonly LaneHead[] {
  const [only, another] = lists;
  if (only !== undefined && another === undefined) return only;
  return lists
    .flatMap((list) => list.map((head, rank) => ({ head, rank })))
    .toSorted(
      (one, other) =>
        one.rank - other.rank ||
        one.head.due_at - other.head.due_at ||
        one.head.delivery_id - other.head.delivery_id,
    )
    .map(({ head }) => head);
}
