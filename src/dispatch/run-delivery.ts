import type { Runnable } from '../handle/registry.ts';
import type { RetryPolicy } from '../kernel/backoff.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import { judgeCrashes, judgeFailure, judgeOutcome, type Judgement } from './judge-outcome.ts';
import { performDelivery, type Performance } from './perform-delivery.ts';
import { deliveryFields, recordOutcome } from './record-outcome.ts';

/** Folds of one try, when another process keeps changing the machine's state in between. */
const MOST_FOLDS = 5;

export interface Turn {
  /** Whether it finds out if a paused handler is well again. */
  readonly probe: boolean;
  /** Asked when the outcome is recorded: whether this lane may go on at once. */
  readonly next: () => boolean;
}

/**
 * One try of one delivery: perform, judge, note, record. Returns the lane's
 * next delivery when the lane may go on and that one is due. Never throws.
 */
export async function runDelivery(
  delivery: ClaimedDelivery,
  turn: Turn,
  parts: DispatchParts,
): Promise<ClaimedDelivery | null> {
  try {
    return await tryDelivery(delivery, turn, parts);
  } catch (error) {
    // The store still counts it as running: the next start's recovery runs it again.
    const { id, event, handler } = delivery;
    const fields = { delivery: id, event: event.id, handler, reason: failureReason(error) };
    parts.log.error(fields, 'Outcome not recorded; the delivery runs again after the next start');
    return null;
  }
}

async function tryDelivery(
  delivery: ClaimedDelivery,
  turn: Turn,
  parts: DispatchParts,
): Promise<ClaimedDelivery | null> {
  const { registry, clock, telemetry, board, random } = parts;
  const startedAt = clock.monotonic();
  const finish = (
    judgement: Judgement,
    machine?: Performance['machine'],
  ): Promise<ClaimedDelivery | null> => {
    const noted = board.note(delivery, judgement, turn.probe);
    const durationMs = clock.monotonic() - startedAt;
    return recordOutcome(delivery, { judgement: noted, machine, durationMs }, turn.next, parts);
  };

  const runnable = registry.runnable(delivery.handler);
  // Claims name registered handlers only, so nobody will claim it again.
  if (runnable === undefined) return finish(handedBack('no handler of this name is registered'));
  const policy = retryPolicy(runnable);
  const unfit = judgeUnstarted(delivery, turn, policy, parts);
  if (unfit !== undefined) return finish(unfit);

  telemetry.emit('delivery.started', deliveryFields(delivery));
  for (let folds = 1; ; folds += 1) {
    const { end, machine } = await performDelivery(delivery, runnable, parts);
    const judgement = judgeOutcome(end, delivery.attempt, policy, random);
    try {
      return await finish(judgement, machine);
    } catch (error) {
      if (machine === undefined || parts.shutdown.aborted) throw error;
      if (PortariaError.is(error, 'machine-conflict') && folds < MOST_FOLDS) continue;
      // What cannot be stored is this state, not the outcome: the try has failed, and says why.
      return finish(judgeFailure(error, delivery.attempt, policy, random));
    }
  }
}

/** Things may have changed since the claim; and some deliveries had their chances. */
function judgeUnstarted(
  { handler, attempt }: ClaimedDelivery,
  { probe }: Turn,
  policy: RetryPolicy,
  { board, closing }: DispatchParts,
): Judgement | undefined {
  if (closing.aborted) return handedBack('stopping');
  if (!probe && !board.admits(handler)) return handedBack('the handler is paused');
  return judgeCrashes(attempt, policy);
}

function handedBack(reason: string): Judgement {
  return { verdict: 'handed-back', health: 'unknown', reason };
}

function retryPolicy(runnable: Runnable): RetryPolicy {
  return runnable.type === 'handler' ? runnable.handler.retry : runnable.machine.retry;
}
