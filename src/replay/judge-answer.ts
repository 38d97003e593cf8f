import { retryAfterMs } from '../kernel/http/retry-after.ts';

/** What a target answered to an event, or why it did not. */
export type PostAnswer =
  | { readonly status: 'delivered' }
  /** Trying again is no use. */
  | { readonly status: 'refused'; readonly reason: string }
  /** It may work later; `afterMs` when the target said when. */
  | { readonly status: 'failed'; readonly reason: string; readonly afterMs: number | null };

/** Statuses of 4xx that speak of the moment, not of the event. */
const PASSING = new Set([408, 425, 429]);

/**
 * Reads an answer as the forwarding handler does: 2xx is done, most of 4xx is
 * final, the rest may pass. Redirects too: they are not followed, and whoever
 * runs the target may take them away.
 */
export function judgeAnswer(status: number, retryAfter: string | null, now: number): PostAnswer {
  if (status >= 200 && status < 300) return { status: 'delivered' };
  const reason = `answered ${String(status)}`;
  if (status >= 300 && status < 400) {
    return { status: 'failed', reason: `${reason}: redirects are not followed`, afterMs: null };
  }
  if (status >= 400 && status < 500 && !PASSING.has(status)) return { status: 'refused', reason };
  return { status: 'failed', reason, afterMs: retryAfterMs(retryAfter, now) };
}
