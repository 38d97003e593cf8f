import type { Claim, ClaimedDelivery, ClaimRequest } from '../lane-queue.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { DueLane, DueLanes } from './due-lanes.ts';
import { rowOf } from './ids.ts';
import type { LaneRows } from './lane-rows.ts';
import type { WaitingDeliveries } from './waiting-deliveries.ts';

/** Takes the heads of due lanes. To be called inside a transaction. */
export type ClaimLanes = (request: ClaimRequest) => Claim;

interface Parts {
  readonly lanes: LaneRows;
  readonly dueLanes: DueLanes;
  readonly waiting: WaitingDeliveries;
  readonly clockJumps: ClockJumps;
}

/**
 * The lanes that have been due longest come first, whatever their handler; one
 * that moved on is due from that moment, so it queues behind the others. Each
 * handler is asked on its own: what waits for a paused handler costs nothing.
 */
export function createClaimLanes(parts: Parts): ClaimLanes {
  const { lanes, waiting } = parts;

  function claimLane({ id }: DueLane): readonly ClaimedDelivery[] {
    const head = waiting.head(id);
    if (head === undefined) {
      lanes.remove(id);
      return [];
    }
    lanes.claim(id);
    return [waiting.start(head.id, id)];
  }

  return (request) => {
    parts.clockJumps.endBrokenWaits(request.now);
    const candidates = candidatesFor(parts.dueLanes, request);
    const due = candidates.filter((lane) => lane.due_at <= request.now).slice(0, request.limit);
    const next = candidates[due.length];
    return { deliveries: due.flatMap(claimLane), nextDueAt: next?.due_at ?? null };
  };
}

/** One more than the limit, so that the first that is not claimed tells when to ask again. */
function candidatesFor(dueLanes: DueLanes, request: ClaimRequest): readonly DueLane[] {
  const most = request.limit + 1;
  const replay = request.replay === undefined ? undefined : (rowOf('r', request.replay) ?? 0);
  const found =
    replay === undefined
      ? request.handlers.flatMap((handler) => dueLanes.ofHandler(handler, most))
      : dueLanes.ofReplay(replay, request.handlers, request.now, most);
  return found.toSorted((one, other) => one.due_at - other.due_at || one.id - other.id);
}
