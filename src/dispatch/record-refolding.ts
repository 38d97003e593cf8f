import { PortariaError } from '../kernel/errors.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import { judgeFailure, retryPolicy } from './judge-outcome.ts';
import { recordOutcome, type Outcome } from './record-outcome.ts';
import { tryInSlot } from './try-in-slot.ts';
import type { Following, Turn } from './turn.ts';

/** Folds of one try, when another process keeps changing the machine's state in between. */
const MAX_FOLDS = 5;

/**
 * Records an outcome by itself. A fold is done again when another process
 * changed the machine's state in between.
 *
 * @throws what the store threw, as `withRetry`: then nothing was recorded.
 */
export async function recordRefolding(
  delivery: ClaimedDelivery,
  first: Outcome,
  turn: Turn,
  parts: DispatchParts,
): Promise<Following> {
  const { registry, board, shutdown, random, records } = parts;
  const record = async (outcome: Outcome): Promise<Following> => {
    records.recording();
    try {
      return await recordOutcome(delivery, outcome, () => turn.next(), parts);
    } finally {
      records.recorded();
    }
  };
  for (let outcome = first, folds = 1; ; folds += 1) {
    try {
      return await record(outcome);
    } catch (error) {
      const runnable = registry.runnable(delivery.handler);
      if (runnable === undefined || outcome.machine === undefined || shutdown.aborted) throw error;
      if (!PortariaError.is(error, 'machine-conflict') || folds >= MAX_FOLDS) {
        // What cannot be stored is this state, not the outcome: the try has failed, and says why.
        const failure = judgeFailure(error, delivery.attempt, retryPolicy(runnable), random);
        const judgement = board.note(delivery, failure, turn.probe);
        return record({ judgement, durationMs: outcome.durationMs });
      }
    }
    outcome = await tryInSlot(delivery, { probe: turn.probe, first: false }, parts);
  }
}
