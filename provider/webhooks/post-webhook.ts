import {
  Agent as PlainAgent,
  request as plainRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { Clock } from '../../src/kernel/time/clock.ts';

/** What one try came to. */
export type PostOutcome =
  | { readonly delivered: true }
  | {
      readonly delivered: false;
      readonly reason: string;
      /** Milliseconds that the receiver asks to wait (Retry-After). */
      readonly afterMs?: number;
    };

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface WebhookPoster {
  /** Sends once. Never rejects. 2xx is delivered; anything else is not, redirects included. */
  post(request: WebhookRequest): Promise<PostOutcome>;
  /** Closes idle connections. */
  close(): void;
}

export interface PosterOptions {
  /** Milliseconds from the first byte to the last of the answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Breaks off what is on its way. */
  readonly cut: AbortSignal;
}

/** Keeps connections open between webhooks, and follows no redirect: the endpoint is who it was added as. */
export function createWebhookPoster({ timeoutMs, clock, cut }: PosterOptions): WebhookPoster {
  const plain = new PlainAgent({ keepAlive: true });
  const secure = new SecureAgent({ keepAlive: true });
  /** Taking an address apart costs as much as a tenth of a request. */
  const targets = new Map<string, RequestOptions>();
  const onTheirWay = new Set<ClientRequest>();
  // One listener for all of them: adding and removing one for each is dear.
  cut.addEventListener('abort', () => {
    for (const sent of onTheirWay) sent.destroy(new Error('the provider stops'));
  });

  function targetOf(url: string): RequestOptions {
    const known = targets.get(url);
    if (known !== undefined) return known;
    const parsed = new URL(url);
    const agent = parsed.protocol === 'https:' ? secure : plain;
    const target = { ...urlToHttpOptions(parsed), method: 'POST', agent };
    targets.set(url, target);
    return target;
  }

  function attempt(
    { url, headers, body }: WebhookRequest,
    settle: (outcome: PostOutcome | 'connection was stale') => void,
  ): void {
    const target = targetOf(url);
    const options = {
      ...target,
      headers: {
        'content-type': 'application/json',
        'content-length': String(body.length),
        'user-agent': 'fleet-and-driver-compliance-service',
        ...headers,
      },
    };
    const sent = target.agent === secure ? secureRequest(options) : plainRequest(options);
    onTheirWay.add(sent);
    const cancel = clock.after(timeoutMs, () => {
      sent.destroy(new Error(`no complete answer within ${String(timeoutMs)} ms`));
    });
    const end = (outcome: PostOutcome | 'connection was stale') => {
      cancel();
      onTheirWay.delete(sent);
      settle(outcome);
    };
    let judged: PostOutcome | undefined;
    sent.on('response', (answer) => {
      const outcome = judge(answer, clock);
      judged = outcome;
      // The connection is free for the next webhook once the answer is read.
      answer.on('close', () => {
        end(outcome);
      });
      answer.on('error', () => undefined);
      answer.resume();
    });
    sent.on('error', (error) => {
      // An answer that breaks off after its status has said what matters.
      if (judged !== undefined) {
        end(judged);
        return;
      }
      const isStale = sent.reusedSocket && 'code' in error && error.code === 'ECONNRESET' && !cut.aborted;
      end(isStale ? 'connection was stale' : { delivered: false, reason: reasonOf(error) });
    });
    sent.end(body);
  }

  return {
    async post(request) {
      const outcome = await settled(request);
      if (outcome !== 'connection was stale') return outcome;
      // The receiver closed an idle connection just as it was used again: a fresh one tells more.
      const again = await settled(request);
      return again === 'connection was stale' ? { delivered: false, reason: 'connection reset' } : again;
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };

  function settled(request: WebhookRequest): Promise<PostOutcome | 'connection was stale'> {
    return new Promise((resolve) => {
      attempt(request, resolve);
    });
  }
}

function judge({ statusCode = 0, headers }: IncomingMessage, clock: Clock): PostOutcome {
  if (statusCode >= 200 && statusCode < 300) return { delivered: true };
  const afterMs = retryAfter(headers['retry-after'], clock.now());
  return {
    delivered: false,
    reason: `answered ${String(statusCode)}`,
    ...(afterMs !== undefined && { afterMs }),
  };
}

/** Seconds or a date (RFC 9110, 10.2.3), as milliseconds from now. */
function retryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/u.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function reasonOf(error: Error): string {
  return error.message === '' && 'code' in error ? String(error.code) : error.message;
}
