import type { Runnable } from '../handle/load/registry.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { ClaimedDelivery } from '../store/lane-queue.ts';
import type { DispatchParts } from './dispatch-parts.ts';
import { released, judgeFailure, retryPolicy, type Judgement } from './judge-outcome.ts';

/** What is performed, or why nothing is. */
export type Settled =
  { readonly delivery: ClaimedDelivery; readonly judgement: null } | { readonly judgement: Judgement };

const superseded: Judgement = {
  verdict: 'skipped',
  health: 'unknown',
  reason: "superseded: the provider's record has the content that came before",
};

/**
 * The delivery of an ambiguous event with what was found out about that. A
 * superseded event is nothing to a machine, and as a stale one nothing to
 * handlers that do not ask for such. Never throws.
 */
export async function settleDelivery(
  delivery: ClaimedDelivery,
  runnable: Runnable,
  { settle, shutdown, random }: DispatchParts,
): Promise<Settled> {
  try {
    const event = await settle(delivery);
    if (event.flags.includes('superseded') && !wantsStale(runnable)) return { judgement: superseded };
    return { delivery: event === delivery.event ? delivery : { ...delivery, event }, judgement: null };
  } catch (error) {
    // No try is burnt when the store or the time did not allow it.
    if (shutdown.aborted) return { judgement: released('stopping') };
    if (PortariaError.is(error) && error.code.startsWith('store-'))
      return { judgement: released(error.message) };
    return { judgement: judgeFailure(error, delivery.attempt, retryPolicy(runnable), random) };
  }
}

/** An effect was called for by what the machine took: it is never left out. */
function wantsStale(runnable: Runnable): boolean {
  return runnable.type === 'effects' || (runnable.type === 'handler' && runnable.handler.stale);
}
