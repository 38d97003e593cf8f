import type { Runnable } from '../handle/registry.ts';
import type { RetryPolicy } from '../kernel/backoff.ts';
import { PortariaError } from '../kernel/errors.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import {
  handedBack,
  judgeCrashes,
  judgeFailure,
  judgeOutcome,
  retryPolicy,
  type Judgement,
} from './judge-outcome.ts';
import { performDelivery, type Performance } from './perform-delivery.ts';
import { deliveryFields, recordOutcome, type Outcome } from './record-outcome.ts';
import { settleDelivery } from './settle-delivery.ts';

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
 *
 * It needs a slot while it is performed only: while its outcome is recorded
 * others run, and their outcomes share the commit.
 */
export function runDelivery(
  delivery: ClaimedDelivery,
  turn: Turn,
  parts: DispatchParts,
): Promise<ClaimedDelivery | null> {
  return tryDelivery(delivery, turn, parts).catch((error: unknown) => {
    // The store still counts it as running: the next start's recovery runs it again.
    const { id, event, handler } = delivery;
    const fields = { delivery: id, event: event.id, handler, reason: failureReason(error) };
    parts.log.error(fields, 'Outcome not recorded; the delivery runs again after the next start');
    return null;
  });
}

async function tryDelivery(
  delivery: ClaimedDelivery,
  turn: Turn,
  parts: DispatchParts,
): Promise<ClaimedDelivery | null> {
  const { registry, board, inSlot, records, shutdown, random } = parts;
  const runnable = registry.runnable(delivery.handler);
  for (let folds = 1; ; folds += 1) {
    const performed = inSlot(() => perform(delivery, runnable, { ...turn, first: folds === 1 }, parts));
    // What is over at once is recorded at once, for the commit that takes its neighbours.
    const outcome = performed instanceof Promise ? await performed : performed;
    records.recording();
    try {
      return await recordOutcome(delivery, outcome, turn.next, parts);
    } catch (error) {
      if (runnable === undefined || outcome.machine === undefined || shutdown.aborted) throw error;
      if (PortariaError.is(error, 'machine-conflict') && folds < MOST_FOLDS) continue;
      // What cannot be stored is this state, not the outcome: the try has failed, and says why.
      const failure = judgeFailure(error, delivery.attempt, retryPolicy(runnable), random);
      const judgement = board.note(delivery, failure, turn.probe);
      return await recordOutcome(delivery, { judgement, durationMs: outcome.durationMs }, turn.next, parts);
    } finally {
      records.recorded();
    }
  }
}

/** Runs it, unless there is a reason not to, and notes how it fared before anybody else is in the slot. */
function perform(
  delivery: ClaimedDelivery,
  runnable: Runnable | undefined,
  { probe, first }: Turn & { readonly first: boolean },
  parts: DispatchParts,
): Outcome | Promise<Outcome> {
  const { clock, telemetry, board, random, finished } = parts;
  const startedAt = clock.monotonic();
  const outcome = (judgement: Judgement, machine?: Outcome['machine']): Outcome => ({
    judgement: board.note(delivery, judgement, probe),
    machine,
    durationMs: clock.monotonic() - startedAt,
  });
  // Claims name registered handlers only, so nobody will claim it again.
  if (runnable === undefined) return outcome(handedBack('no handler of this name is registered'));
  const policy = retryPolicy(runnable);
  const unfit = judgeUnstarted(delivery, probe, policy, parts);
  if (unfit !== undefined) return outcome(unfit);

  const conclude = ({ end, machine }: Performance): Outcome => {
    finished();
    return outcome(judgeOutcome(end, delivery.attempt, policy, random), machine);
  };
  const begin = (wanted: ClaimedDelivery): Outcome | Promise<Outcome> => {
    if (first) telemetry.emit('delivery.started', deliveryFields(delivery));
    const performance = performDelivery(wanted, runnable, parts);
    return performance instanceof Promise ? performance.then(conclude) : conclude(performance);
  };
  if (delivery.event.verdict !== 'ambiguous') return begin(delivery);
  return settleDelivery(delivery, runnable, parts).then((settled) =>
    settled.judgement === null ? begin(settled.delivery) : outcome(settled.judgement),
  );
}

/** Things may have changed since the claim; and some deliveries had their chances. */
function judgeUnstarted(
  { handler, attempt }: ClaimedDelivery,
  probe: boolean,
  policy: RetryPolicy,
  { board, closing }: DispatchParts,
): Judgement | undefined {
  if (closing.aborted) return handedBack('stopping');
  if (!probe && !board.admits(handler)) return handedBack('the handler is paused');
  return judgeCrashes(attempt, policy);
}
