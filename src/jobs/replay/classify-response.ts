/** What the response of a replay's target means. */
import { retryAfterMs } from '../../kernel/http/retry-after.ts';

/** The result of posting an event to a target. */
export type PostResult =
  | { readonly status: 'delivered' }
  /** Retrying is useless. */
  | { readonly status: 'rejected'; readonly reason: string }
  /** Retrying may help, after `afterMs` milliseconds if the target said so. */
  | { readonly status: 'failed'; readonly reason: string; readonly afterMs: number | null };

/**
 * Classifies a response as the `forward` handler does: 2xx is delivered, the
 * statuses of `giveUp` are final, the rest may pass. Redirects are not followed,
 * and may pass.
 */
export function classifyResponse(
  status: number,
  retryAfter: string | null,
  now: number,
  giveUp: readonly number[],
): PostResult {
  if (status >= 200 && status < 300) return { status: 'delivered' };
  const reason = `responded ${String(status)}`;
  if (status >= 300 && status < 400) {
    return { status: 'failed', reason: `${reason}: redirects are not followed`, afterMs: null };
  }
  if (giveUp.includes(status)) return { status: 'rejected', reason };
  return { status: 'failed', reason, afterMs: retryAfterMs(retryAfter, now) };
}
