/** Posts a webhook once. */
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { Clock } from '../../../src/kernel/time/clock.ts';
import { retryAfterMs } from '../../../src/kernel/http/retry-after.ts';

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
  readonly body: Buffer;
}

/** Posts webhooks over connections that are kept alive. */
export interface WebhookPoster {
  /** Makes one attempt. Only a 2xx response delivers: redirects are not followed. Never rejects. */
  post(request: WebhookRequest): Promise<PostOutcome>;
  /** Closes idle connections. */
  close(): void;
}

type Attempt = PostOutcome | 'connection was stale';

/**
 * @param options.timeoutMs milliseconds from the start of the request to the end of the response.
 * @param options.cut aborts the attempts in flight.
 */
export function createWebhookPoster({
  timeoutMs,
  clock,
  cut,
}: {
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly cut: AbortSignal;
}): WebhookPoster {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true });
  const inFlight = new Set<ClientRequest>();
  cut.addEventListener('abort', () => {
    for (const request of inFlight) request.destroy(new Error('the provider stops'));
  });

  function start(url: string, options: RequestOptions): ClientRequest {
    const target = new URL(url);
    const all = { ...urlToHttpOptions(target), ...options };
    return target.protocol === 'https:'
      ? httpsRequest({ ...all, agent: https })
      : httpRequest({ ...all, agent: http });
  }

  function attempt({ url, headers, body }: WebhookRequest, resolve: (result: Attempt) => void): void {
    const request = start(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(body.length),
        'user-agent': 'fleet-and-driver-compliance-service',
        ...headers,
      },
    });
    inFlight.add(request);
    const cancelTimeout = clock.after(timeoutMs, () => {
      request.destroy(new Error(`no complete response within ${String(timeoutMs)} ms`));
    });
    const end = (result: Attempt) => {
      cancelTimeout();
      inFlight.delete(request);
      resolve(result);
    };
    let outcome: PostOutcome | undefined;
    request.on('response', (response) => {
      const classified = classify(response, clock);
      outcome = classified;
      // The connection is free for the next webhook once the response is read.
      response.on('close', () => {
        end(classified);
      });
      response.on('error', () => undefined);
      response.resume();
    });
    request.on('error', (error) => {
      // The status decides, even if the rest of the response is missing.
      if (outcome !== undefined) {
        end(outcome);
        return;
      }
      const isStale = request.reusedSocket && 'code' in error && error.code === 'ECONNRESET' && !cut.aborted;
      end(isStale ? 'connection was stale' : { delivered: false, reason: reasonOf(error) });
    });
    request.end(body);
  }

  const attemptOnce = (request: WebhookRequest) =>
    new Promise<Attempt>((resolve) => {
      attempt(request, resolve);
    });

  return {
    async post(request) {
      const first = await attemptOnce(request);
      if (first !== 'connection was stale') return first;
      // The receiver closed an idle connection just when it was reused: try a fresh one.
      const second = await attemptOnce(request);
      return second === 'connection was stale' ? { delivered: false, reason: 'connection reset' } : second;
    },
    close() {
      http.destroy();
      https.destroy();
    },
  };
}

function classify({ statusCode = 0, headers }: IncomingMessage, clock: Clock): PostOutcome {
  if (statusCode >= 200 && statusCode < 300) return { delivered: true };
  const afterMs = retryAfterMs(headers['retry-after'] ?? null, clock.now());
  return {
    delivered: false,
    reason: `status ${String(statusCode)}`,
    ...(afterMs !== null && { retryAfterMs: afterMs }),
  };
}

function reasonOf(error: Error): string {
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
