import type { ClaimRequest } from '../lane-queue.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { DueDeliveries, DueDelivery } from './due-deliveries.ts';
import { rowOf } from './ids.ts';
import type { StartDelivery } from './start-delivery.ts';
import type { StartedDelivery } from './started-delivery.ts';

/** As a `Claim`, by row. */
export interface StartedDeliveries {
  readonly deliveries: readonly StartedDelivery[];
  readonly nextDueAt: number | null;
}

/** Takes the heads of lanes that are due. To be called inside a transaction. */
export type ClaimDeliveries = (request: ClaimRequest) => StartedDeliveries;

interface Parts {
  readonly due: DueDeliveries;
  readonly start: StartDelivery;
  readonly clockJumps: ClockJumps;
}

/**
 * The heads that have been due longest come first, whatever their handler; a
 * lane that moved on is due from that moment, so it queues behind the others.
 * Each handler is asked on its own: what waits for a paused handler costs
 * nothing.
 */
export function createClaimDeliveries({ due, start, clockJumps }: Parts): ClaimDeliveries {
  return (request) => {
    clockJumps.endBrokenWaits(request.now);
    const candidates = candidatesFor(due, request);
    const ready = candidates.filter((head) => head.due_at <= request.now).slice(0, request.limit);
    const next = candidates[ready.length];
    return { deliveries: ready.map(({ id }) => start(id)), nextDueAt: next?.due_at ?? null };
  };
}

/** One more than the limit, so that the first that is not claimed tells when to ask again. */
function candidatesFor(due: DueDeliveries, request: ClaimRequest): readonly DueDelivery[] {
  const most = request.limit + 1;
  const replay = request.replay === undefined ? undefined : (rowOf('r', request.replay) ?? 0);
  const found =
    replay === undefined
      ? request.handlers.flatMap((handler) => due.ofHandler(handler, most))
      : due.ofReplay(replay, request.handlers, request.now, most);
  return found.toSorted((one, other) => one.due_at - other.due_at || one.id - other.id);
}
