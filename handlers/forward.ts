import {
  defineHandler,
  fromConfig,
  GiveUp,
  retryAfterMs,
  RetryLater,
  subjectName,
  type Handler,
  type HandlerConfig,
  type HandlerContext,
  type HandlerEvent,
  type PolicyOptions,
} from 'portaria';
import { Webhook } from 'standardwebhooks';
import { drain } from './forward/drain.ts';
import { headerText } from './forward/header-text.ts';

export interface ForwardOptions extends PolicyOptions {
  /** `forward`, unless there is to be more than one. */
  readonly name?: string;
  /** http or https. What is personal in an event goes there, so mind who reads along. */
  readonly url: string;
  /** Signs by Standard Webhooks: base64, with or without `whsec_`. Null or absent: unsigned. */
  readonly secret?: string | null;
  /** Milliseconds that the application has for its whole answer. */
  readonly timeoutMs: number;
  /** Milliseconds since 1970, for the signature. */
  readonly now?: () => number;
}

/** About three hours: long enough for an application to be mended, or deployed. */
const patience = { attempts: 24, baseMs: 1000, maxMs: 1_800_000 };

/** The longest `Retry-After` that is followed: an hour. The event must not wait for days. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Of the statuses from 400 to 499, those that another try may change. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Sends every event, of kinds the contract does not know too, to an application
 * in any language: its envelope as a POST, in order for each subject. Values
 * are those that arrived; their spelling need not be (`1.10` goes out as `1.1`).
 *
 * 2xx: done. 408, 425, 429 and 5xx: tried again, not before `Retry-After` says. Any other 4xx: a dead letter at once. Redirects are not followed.
 * The `webhook-id` is the same at every try and every replay of an event.
 *
 * @throws TypeError when the address or the secret cannot be used.
 */
export function forward(options: ForwardOptions): Handler {
  const { name = 'forward', url, secret = null, now = Date.now, ...policies } = options;
  const retry = { ...patience, ...policies.retry };
  const target = targetOf(url);
  const webhook = secret === null ? null : signerOf(secret);

  return defineHandler({
    ...policies,
    retry,
    name,
    on: '*',
    stale: true,
    async handle(event, context) {
      const body = JSON.stringify({ type: event.kind, data: event.data });
      const response = await post(target, {
        body,
        headers: { ...signature(webhook, event.id, new Date(now()), body), ...about(event, context) },
        signal: context.signal,
      });
      await drain(response);
      return verdictOn(response, target, now(), longestWaitMs(retry, context.attempt));
    },
  });
}

export default fromConfig(({ forward: target }: HandlerConfig) =>
  target === null ? undefined : forward(target),
);

type Event = HandlerEvent<'*'>;

/** What the envelope does not say. The id and time are there unsigned too: the id is what to deduplicate by. */
function about(event: Event, context: HandlerContext): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'portaria',
    'portaria-kind': headerText(event.kind),
    'portaria-subject': headerText(subjectName(event.subject)),
    'portaria-source': headerText(event.source),
    'portaria-verdict': event.verdict,
    'portaria-replay': String(context.replay),
    'portaria-attempt': String(context.attempt),
  };
}

function signature(webhook: Webhook | null, id: string, at: Date, body: string): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    ...(webhook === null ? {} : { 'webhook-signature': webhook.sign(id, at, body) }),
  };
}

async function post(
  target: URL,
  request: Pick<RequestInit, 'body' | 'headers' | 'signal'>,
): Promise<Response> {
  try {
    return await fetch(target, { ...request, method: 'POST', redirect: 'manual' });
  } catch (cause) {
    // Only the host is named: a path or query may hold a token, and reasons are shown to people.
    throw new Error(`no answer from ${target.host}: ${reasonOf(cause)}`, { cause });
  }
}

/** Statuses alone: a body may repeat what is personal in the event, and reasons are kept and shown. */
function verdictOn(
  { status, headers }: Response,
  { host }: URL,
  now: number,
  leastWaitMs: number,
): RetryLater | GiveUp | undefined {
  const reason = `${host} answered ${String(status)}`;
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) {
    throw new Error(`${reason}: redirects are not followed, set the address that it leads to`);
  }
  if (status < 500 && !passing.has(status)) return GiveUp(reason);
  const wait = retryAfterMs(headers.get('retry-after'), now, MAX_RETRY_AFTER_MS);
  if (wait !== null) return RetryLater(Math.max(wait, leastWaitMs), reason);
  throw new Error(reason);
}

/**
 * Milliseconds that another try would wait for at most if nothing was asked.
 * `Retry-After` can ask for longer, not for less: an outage of half a minute
 * that says `Retry-After: 1` must not use up all tries.
 */
function longestWaitMs({ baseMs, maxMs }: typeof patience, attempt: number): number {
  return Math.min(maxMs, baseMs * 2 ** (attempt - 1));
}

/** `fetch failed` says nothing; what the system said is underneath. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(inner instanceof Error)) return String(inner);
  const { code } = inner as { readonly code?: unknown };
  return typeof code === 'string' ? code : inner.message;
}

function targetOf(url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    throw new TypeError('the address to forward to must be a whole one that begins with http:// or https://');
  }
  if (target.username !== '' || target.password !== '') {
    throw new TypeError(
      'the address to forward to must not hold a user name or password: sign with a secret instead',
    );
  }
  return target;
}

function signerOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch (cause) {
    throw new TypeError('the secret to forward with must be base64, with or without whsec_ before it', {
      cause,
    });
  }
}
