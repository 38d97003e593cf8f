/** Posts a webhook once. */
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
 * @param deps.cut aborts attempts in flight.
 */
export async function postWebhook(
  { url, headers, body }: WebhookRequest,
  { clock, cut }: { readonly clock: Clock; readonly cut: AbortSignal },
): Promise<PostOutcome> {
  const late = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => {
    late.abort(new Error(`no complete response within ${String(TIMEOUT_MS)} ms`));
  });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'fleet-and-driver-compliance-service',
        ...headers,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([late.signal, cut]),
    });
    // The connection is free for the next webhook once the response is read. The status decides, even if the rest
    // is missing.
    await response.body?.pipeTo(new WritableStream()).catch(() => undefined);
    return classify(response, clock);
  } catch (error) {
    return { delivered: false, reason: reasonOf(error) };
  } finally {
    cancel();
  }
}

function classify({ ok, status, headers }: Response, clock: Clock): PostOutcome {
  if (ok) return { delivered: true };
  const afterMs = retryAfterMs(headers.get('retry-after'), clock.now());
  return {
    delivered: false,
    reason: `status ${String(status)}`,
    ...(afterMs !== null && { retryAfterMs: afterMs }),
  };
}

/** The cause of a failed `fetch`, whose own message is only "fetch failed". */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return cause.message === '' && 'code' in cause ? String(cause.code) : cause.message;
}
