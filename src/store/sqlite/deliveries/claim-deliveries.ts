import type { ClaimRequest } from '../../lane-queue.ts';
import type { ClockJumps } from './clock-jumps.ts';
import type { DueDeliveries, DueDelivery } from './due-deliveries.ts';
import { rowOf } from '../sql/ids.ts';
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
 * Handlers take turns, so that the backlog of a slow one does not hold up the
 * others, and of each handler the head that has been due longest comes first; a
 * lane that moved on is due from that moment, so it queues behind the others.
 * Each handler is asked on its own: what waits for a paused handler costs
 * nothing.
 */
export function createClaimDeliveries({ due, start, clockJumps }: Parts): ClaimDeliveries {
  return (request) => {
    clockJumps.endBrokenWaits(request.now);
    const candidates = candidatesFor(due, request);
    const fitting = fittingOf(candidates, request);
    const deliveries = [
      ...start.several(fitting.slice(0, request.limit)),
      ...start.ahead(fitting.slice(request.limit)),
    ];
    const started = new Set(fitting);
    const left = candidates.filter((head) => !started.has(head)).map((head) => head.due_at);
    return { deliveries, nextDueAt: left.length === 0 ? null : Math.min(...left) };
  };
}

/** Those that are due, as many as may be claimed by their number. */
function fittingOf(
  candidates: readonly DueDelivery[],
  { now, limit, prefetch }: ClaimRequest,
): readonly DueDelivery[] {
  const fitting: DueDelivery[] = [];
  const most = limit + (prefetch ?? 0);
  for (const head of candidates) {
    const fits = fitting.length < limit || (fitting.length < most && isUntouched(head));
    if (head.due_at <= now && fits) fitting.push(head);
  }
  return fitting;
}

/**
 * Not tried since it came or was retried by hand, nor ever cut short, be it
 * while it waited for its turn: whatever ends the process is not claimed ahead twice.
 */
function isUntouched({ attempt, cut_short: cutShort }: DueDelivery): boolean {
  return attempt === 1 && cutShort === 0;
}

/** One more than the limits of each handler, so that the first that is not claimed tells when to ask again. */
function candidatesFor(due: DueDeliveries, request: ClaimRequest): readonly DueDelivery[] {
  const most = request.limit + (request.prefetch ?? 0) + 1;
  if (request.replay !== undefined) {
    const found = due.ofReplay(rowOf('r', request.replay) ?? 0, request.handlers, request.now, most);
    return found.toSorted((one, other) => one.due_at - other.due_at || one.delivery_id - other.delivery_id);
  }
  const lists = request.handlers.map((handler) => {
    const heads = due.ofHandler(handler, most);
    const untried = request.untriedFirst === true ? due.untriedOf(handler, request.now) : undefined;
    return untried === undefined
      ? heads
      : [untried, ...heads.filter((head) => head.delivery_id !== untried.delivery_id)];
  });
  return inTurns(lists);
}

/** The first of each list, by when they are due, then the second of each, and so on. */
function inTurns(lists: readonly (readonly DueDelivery[])[]): readonly DueDelivery[] {
  const [only, another] = lists;
  if (only !== undefined && another === undefined) return only;
  return lists
    .flatMap((list) => list.map((head, turn) => ({ head, turn })))
    .toSorted(
      (one, other) =>
        one.turn - other.turn ||
        one.head.due_at - other.head.due_at ||
        one.head.delivery_id - other.head.delivery_id,
    )
    .map(({ head }) => head);
}
