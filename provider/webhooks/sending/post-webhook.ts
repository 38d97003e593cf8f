/** Posts a webhook once. */
import { post } from '../../../src/kernel/http/post.ts';
import { retryAfterMs } from '../../../src/kernel/http/retry-after.ts';
import type { Clock } from '../../../src/kernel/time/clock.ts';

/** The result of one attempt. */
export type PostOutcome =
  | { readonly delivered: true }
  | {
      readonly delivered: false;
      readonly reason: string;
      /** Milliseconds that the receiver asks to wait (Retry-After). */
      readonly retryAfterMs?: number;
    };

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer<ArrayBuffer>;
}

/** Milliseconds that a receiver has to respond. */
const TIMEOUT_MS = 10_000;

/**
 * Makes one attempt. Only a 2xx response delivers: redirects are not followed. Never rejects.
 *
 * @param deps.signal aborts attempts in flight.
 */
export async function postWebhook(
  { url, headers, body }: WebhookRequest,
  deps: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<PostOutcome> {
  const userAgent = { 'user-agent': 'fleet-and-driver-compliance-service' };
  try {
    // The status decides, even if the rest is missing.
    const { status, retryAfter } = await post(
      { url, headers: { ...userAgent, ...headers }, body, timeoutMs: TIMEOUT_MS },
      { fetch, ...deps },
    );
    if (status >= 200 && status < 300) return { delivered: true };
    const afterMs = retryAfterMs(retryAfter, deps.clock.now());
    return {
      delivered: false,
      reason: `status ${String(status)}`,
      ...(afterMs !== null && { retryAfterMs: afterMs }),
    };
  } catch (error) {
    return { delivered: false, reason: (error as Error).message };
  }
}
