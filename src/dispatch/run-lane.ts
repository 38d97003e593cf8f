import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import { runDelivery } from './run-delivery.ts';
import type { Following, Turn } from './turn.ts';

/** Deliveries in a row before a lane goes to the back, so that a busy one starves nobody. */
const MAX_IN_A_ROW = 25;

/**
 * Runs a lane from a claimed delivery on, one at a time, while more of it is
 * due; then calls `done`. Never throws.
 *
 * @param probe whether the first one probes a paused handler
 */
export function runLane(
  first: ClaimedDelivery,
  probe: boolean,
  parts: DispatchParts,
  done: () => void,
): void {
  runDelivery(first, new LaneTurn(first.handler, probe, parts, done), parts);
}

/**
 * A class, because thousands wait for a commit: functions of its own for each
 * lane would hold on to the delivery, too, and be copied at every collection.
 */
class LaneTurn implements Turn {
  #probe: boolean;
  #run = 1;
  readonly #handler: string;
  readonly #parts: DispatchParts;
  readonly #done: () => void;

  constructor(handler: string, probe: boolean, parts: DispatchParts, done: () => void) {
    this.#handler = handler;
    this.#probe = probe;
    this.#parts = parts;
    this.#done = done;
  }

  get probe(): boolean {
    return this.#probe;
  }

  next(): boolean {
    const { board, closing } = this.#parts;
    return this.#run < MAX_IN_A_ROW && !closing.aborted && board.admits(this.#handler);
  }

  recorded(following: Following): void {
    const { turns, release } = this.#parts;
    if (following === null) {
      this.#done();
      return;
    }
    if (following.event === null) {
      void release.unreadable([following]).then(this.#done);
      return;
    }
    this.#run += 1;
    this.#probe = false;
    const deliver = (): void => {
      runDelivery(following, this, this.#parts);
    };
    if (turns.isDue()) turns.inLaterTurn(deliver);
    else deliver();
  }
}
