import type { Prefetched, ClaimedDelivery, UnreadDelivery } from '../store/lane-queue.ts';
import { hasRoom, type ClaimRoom } from './deliveries-in-hand.ts';
import type { DispatchParts } from './dispatch-parts.ts';

export interface ClaimPlan {
  /** How much may be claimed, at this moment. */
  readonly room: () => ClaimRoom;
  readonly launch: (delivery: ClaimedDelivery, probe: boolean) => void;
  readonly launchPrefetched: (ahead: Prefetched) => void;
  readonly release: (unread: readonly UnreadDelivery[]) => void;
}

/**
 * Claims and launches what is due, no more than there is room for, and one
 * delivery at most of each handler whose pause is over. Returns the
 * milliseconds until more can be done: null when nothing waits, Infinity when
 * only a free slot or somebody else's work can make a difference.
 *
 * @throws what the store threw, as `withRetry`
 */
export async function claimDue(plan: ClaimPlan, parts: DispatchParts): Promise<number | null> {
  const { board } = parts;
  const waits: (number | null)[] = [];
  for (const handler of board.toProbe()) {
    waits.push(await claimFor([handler], true, plan, parts));
  }
  waits.push(await claimFor(board.admitted(), false, plan, parts));
  // Asked last: while the store was busy, a handler may have been paused.
  waits.push(board.nextProbeInMs());
  const known = waits.filter((wait) => wait !== null);
  return known.length === 0 ? null : Math.min(...known);
}

async function claimFor(
  handlers: readonly string[],
  probe: boolean,
  { room, launch, launchPrefetched, release }: ClaimPlan,
  { store, withRetry, closing, board, clock, replay }: DispatchParts,
): Promise<number | null> {
  if (handlers.length === 0) return null;
  const free = room();
  if (!hasRoom(free)) return Infinity;
  const limits = probe ? { limit: 1, untriedFirst: true } : { limit: free.slots, prefetch: free.ahead };
  const only = replay === undefined ? {} : { replay };
  const { deliveries, unread, prefetched, nextDueAt } = await withRetry(
    () => store.claim({ now: clock.now(), handlers, ...limits, ...only }),
    closing,
  );
  for (const delivery of deliveries) {
    if (probe) board.startProbe(delivery.handler);
    launch(delivery, probe);
  }
  launchPrefetched(prefetched);
  if (unread.length > 0) release(unread);
  if (nextDueAt === null) return null;
  const waitMs = nextDueAt - clock.now();
  // Due, yet not given out: another process is at it, so asking again at once would spin.
  return waitMs > 0 ? waitMs : Infinity;
}
