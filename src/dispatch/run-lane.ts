import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import { runDelivery } from './run-delivery.ts';

/** Deliveries in a row before a lane goes to the back, so that a busy one starves nobody. */
const MOST_IN_A_ROW = 25;

/**
 * Runs a lane from a claimed delivery on, one at a time, while more of it is
 * due. Never throws.
 *
 * @param probe whether the first one probes a paused handler
 */
export async function runLane(first: ClaimedDelivery, probe: boolean, parts: DispatchParts): Promise<void> {
  const { board, closing, turns } = parts;
  let delivery: ClaimedDelivery | null = first;
  for (let run = 1; delivery !== null; run += 1) {
    const current: ClaimedDelivery = delivery;
    const next = (): boolean => run < MOST_IN_A_ROW && !closing.aborted && board.admits(current.handler);
    const deliver = () => runDelivery(current, { probe: probe && run === 1, next }, parts);
    delivery = await (run > 1 && turns.isDue() ? turns.later(deliver) : deliver());
  }
}
