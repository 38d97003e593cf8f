import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import { reportUnrecorded } from './report-unrecorded.ts';
import { deliveryFields, type Outcome } from './record-outcome.ts';
import { recordRefolding } from './record-refolding.ts';
import { tryInSlot } from './try-in-slot.ts';
import type { Turn } from './turn.ts';

/**
 * One try of one delivery: perform, judge, note, record. Tells the turn what
 * follows. Never throws.
 *
 * It needs a slot while it is performed only: while its outcome is recorded
 * others run, and their outcomes share the commit.
 */
export function runDelivery(delivery: ClaimedDelivery, turn: Turn, parts: DispatchParts): void {
  const giveUp = (error: unknown): void => {
    reportUnrecorded(deliveryFields(delivery), error, parts.log);
    turn.recorded(null);
  };
  let tried: Outcome | Promise<Outcome>;
  try {
    tried = tryInSlot(delivery, { probe: turn.probe, first: true }, parts);
  } catch (error) {
    giveUp(error);
    return;
  }
  // What is over at once is recorded at once, for the commit that takes its neighbours.
  if (tried instanceof Promise) tried.then((outcome) => record(delivery, outcome, turn, parts)).catch(giveUp);
  else record(delivery, tried, turn, parts)?.catch(giveUp);
}

/** A promise when it is recorded by itself. */
function record(
  delivery: ClaimedDelivery,
  outcome: Outcome,
  turn: Turn,
  parts: DispatchParts,
): Promise<void> | undefined {
  const { judgement, machine, durationMs } = outcome;
  if (judgement.verdict !== 'succeeded' || machine !== undefined) {
    return recordRefolding(delivery, outcome, turn, parts).then((following) => {
      turn.recorded(following);
    });
  }
  const { id, lane, handler, replay } = delivery;
  const held = { id, lane, handler, replay };
  parts.recordSuccess({ fields: deliveryFields(delivery), held, durationMs, turn });
  return undefined;
}
