import type { Runnable } from '../handle/load/registry.ts';
import type { RetryPolicy } from '../kernel/time/backoff.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import { released, judgeCrashes, judgeOutcome, retryPolicy, type Judgement } from './judge-outcome.ts';
import { performDelivery, type Performance } from './perform-delivery.ts';
import { deliveryFields, type Outcome } from './record-outcome.ts';
import { refusal } from './refusal.ts';
import { settleDelivery } from './settle-delivery.ts';

interface Try {
  /** Whether it finds out if a paused handler is well again. */
  readonly probe: boolean;
  /** Whether it begins, instead of folding once more. */
  readonly first: boolean;
}

/** Performs a delivery when a slot is free, and judges how it fared. At once when it is over at once. */
export function tryInSlot(
  delivery: ClaimedDelivery,
  of: Try,
  parts: DispatchParts,
): Outcome | Promise<Outcome> {
  return parts.inSlot(() => perform(delivery, parts.registry.runnable(delivery.handler), of, parts));
}

/** Runs it, unless there is a reason not to, and notes how it fared before anybody else is in the slot. */
function perform(
  delivery: ClaimedDelivery,
  runnable: Runnable | undefined,
  { probe, first }: Try,
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
  if (runnable === undefined) return outcome(released('no handler of this name is registered'));
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
  parts: DispatchParts,
): Judgement | undefined {
  const refused = refusal(handler, probe, parts);
  return refused === undefined ? judgeCrashes(attempt, policy) : released(refused);
}
