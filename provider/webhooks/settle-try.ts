import { backoffMs, type RetryPolicy } from '../../src/kernel/time/backoff.ts';
import type { Random } from '../../src/kernel/random.ts';
import type { DueDelivery, Settlement } from './outbox.ts';
import type { PostOutcome } from './post-webhook.ts';

/**
 * Ceilings of 1 s, 2 s, 4 s, … 32 s and then 60 s: about a minute in all, at most
 * two, which is a restart of the receiver, not its weekend.
 */
const retryPolicy: RetryPolicy = { attempts: 8, baseMs: 1_000, maxMs: 60_000 };

/** What becomes of a delivery after a try. A receiver may ask for a longer pause, up to the policy's longest. */
export function settleTry(
  { id, status, attempts: before }: DueDelivery,
  outcome: PostOutcome,
  { now, random }: { readonly now: number; readonly random: Random },
): Settlement {
  const attempts = before + 1;
  const at = (instant: number) => new Date(instant).toISOString();
  if (outcome.delivered) return { id, status: 'delivered', attempts, dueAt: at(now), failure: null };
  const failure = outcome.reason;
  if (attempts >= retryPolicy.attempts) return { id, status: 'dead', attempts, dueAt: at(now), failure };
  const asked = Math.min(outcome.afterMs ?? 0, retryPolicy.maxMs);
  const wait = Math.max(asked, backoffMs(retryPolicy, attempts, random));
  return { id, status, attempts, dueAt: at(now + wait), failure };
}
