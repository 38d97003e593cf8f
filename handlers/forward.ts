/** `portaria/handlers/forward`: a handler that posts every event to an application in any language. */
import {
  defineHandler,
  fromConfig,
  GiveUp,
  RetryLater,
  subjectName,
  type Handler,
  type HandlerConfig,
  type HandlerContext,
  type HandlerEvent,
  patientFetch,
  retryAfterMs,
  sentJson,
  traceHeaders,
  type PolicyOptions,
  type RateOption,
} from 'portaria';
import { Webhook } from 'standardwebhooks';
import { headerValue, readBeginning } from './forward/http.ts';

/** Settings of the handler. */
export interface ForwardOptions extends PolicyOptions {
  /** Name of the handler (default `forward`). Two targets need two names. */
  readonly name?: string;
  /** An http or https URL. Use https across networks: events contain personal data. */
  readonly url: string;
  /** The Standard Webhooks secret that signs requests: base64, with or without `whsec_`. Null or absent: unsigned. */
  readonly secret?: string | null;
  /** Milliseconds for the whole response. */
  readonly timeoutMs: number;
  /**
   * Statuses that reject this one event, which becomes a dead letter at once
   * (default 400, 409, 413, 415 and 422). All other errors are retried.
   */
  readonly giveUp?: readonly number[];
  /** How often it posts, in all processes together. 429, and 503, with `Retry-After` close it until then. */
  readonly rate?: RateOption<HandlerEvent<'*'>>;
  /** Returns milliseconds since 1970, for the signature (default `Date.now`). */
  readonly now?: () => number;
}

/** About three hours: long enough to repair or deploy the application. */
const defaultRetry = { attempts: 24, baseMs: 1000, maxMs: 1_800_000 };

/** Milliseconds of the longest `Retry-After` that is followed: an hour. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** Milliseconds for the body of a response, whose status has decided. */
const MAX_BODY_MS = 1_000;

/** What a target says of one event. Of 401, 403, 404 and 410 the route or the secret is the cause. */
const defaultGiveUp: readonly number[] = [400, 409, 413, 415, 422];

/** The 4xx statuses that may ask for a wait. */
const asksToWait: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Posts every event, including kinds that the contract does not contain, as a
 * JSON envelope `{type, data}`. Events of one subject arrive in order. Numbers
 * keep their value, whatever its digits, but not their notation: `1.10` is sent as `1.1`. The `webhook-id` is the
 * event's id, the same for every attempt and replay, so the application can
 * remove duplicates by it.
 *
 * | response                | outcome                                     |
 * | ----------------------- | ------------------------------------------- |
 * | 2xx                     | success                                     |
 * | 400, 409, 413, 415, 422 | dead letter at once; `giveUp` changes these |
 * | 408, 425, 429, 5xx      | retry, not earlier than `Retry-After`       |
 * | any other 4xx           | retry                                       |
 * | 3xx                     | retry; redirects are not followed           |
 * | no response             | retry                                       |
 *
 * Failures for many subjects, or dead letters of five subjects in a row, open the breaker.
 *
 * @throws TypeError when the URL or the secret is invalid.
 */
export function forward(options: ForwardOptions): Handler {
  const {
    name = 'forward',
    url,
    secret = null,
    giveUp = defaultGiveUp,
    now = Date.now,
    rate,
    ...policies
  } = options;
  const retry = { ...defaultRetry, ...policies.retry };
  const target = parseTarget(url);
  const webhook = secret === null ? null : createSigner(secret);
  const rejections: ReadonlySet<number> = new Set(giveUp);

  return defineHandler({
    ...policies,
    retry,
    name,
    on: '*',
    ...(rate !== undefined && { rate }),
    stale: true,
    async handle(event, context) {
      const body = sentJson({ type: event.kind, data: event.data });
      const response = await post(target, {
        body,
        headers: {
          ...signatureHeaders(webhook, event.id, new Date(now()), body),
          ...eventHeaders(event, context),
        },
        signal: context.signal,
      });
      const reading = readBeginning(response, event, Math.min(MAX_BODY_MS, policies.timeoutMs / 4));
      // What follows the status of a success says nothing, and may never end.
      const said = response.status < 400 ? '' : await reading;
      const reason = `${target.host} responded with status ${String(response.status)}${said}`;
      if (rejections.has(response.status)) return GiveUp(reason);
      return outcomeOf(response, reason, now(), maxBackoffMs(retry, context.attempt));
    },
  });
}

export default fromConfig(({ forward: target }: HandlerConfig) =>
  target === null ? undefined : forward(target),
);

/** Describes what the envelope does not contain. */
function eventHeaders(event: HandlerEvent<'*'>, context: HandlerContext): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'portaria',
    'portaria-kind': headerValue(event.kind),
    'portaria-subject': headerValue(subjectName(event.subject)),
    'portaria-source': headerValue(event.source),
    'portaria-verdict': event.verdict,
    'portaria-replay': String(context.replay),
    'portaria-attempt': String(context.attempt),
    ...traceHeaders(context.traceparent),
  };
}

/** An unsigned request has the id and the time too, because applications remove duplicates by the id. */
function signatureHeaders(
  webhook: Webhook | null,
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
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
    return await patientFetch(target, { ...request, method: 'POST', redirect: 'manual' });
  } catch (cause) {
    // Name only the host: the path or query may contain a token, and operators see this message.
    throw failure(`no response from ${target.host}: ${reasonOf(cause)}`, cause);
  }
}

/** An error without a stack: the fault is the target's, and no line of this file helps to find it. */
function failure(message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? {} : { cause });
  error.stack = `Error: ${message}`;
  return error;
}

/** Only the status decides. */
function outcomeOf(
  { status, headers }: Response,
  reason: string,
  now: number,
  minWaitMs: number,
): RetryLater | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400) {
    throw failure(`${reason}: redirects are not followed, configure the final URL`);
  }
  // A wrong route or secret is a failure of the target, whatever it asks for: the breaker must see it.
  if (status < 500 && !asksToWait.has(status)) throw failure(reason);
  const wait = retryAfterMs(headers.get('retry-after'), now, MAX_RETRY_AFTER_MS);
  const isLimit = status === 429 || status === 503;
  if (wait !== null) return RetryLater(Math.max(wait, minWaitMs), reason, { rate: isLimit && wait });
  throw failure(reason);
}

/**
 * Returns the longest wait of the retry policy, in milliseconds. `Retry-After`
 * can lengthen the wait but not shorten it: an outage of half a minute with
 * `Retry-After: 1` must not use up all attempts.
 */
function maxBackoffMs({ baseMs, maxMs }: typeof defaultRetry, attempt: number): number {
  return Math.min(maxMs, baseMs * 2 ** (attempt - 1));
}

/** The message of `fetch` is always "fetch failed"; its cause has the system's error. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(inner instanceof Error)) return String(inner);
  const { code } = inner as { readonly code?: unknown };
  return typeof code === 'string' ? code : inner.message;
}

function parseTarget(url: string): URL {
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol)) {
    throw new TypeError('the forward URL must be an absolute URL that begins with http:// or https://');
  }
  if (target.username !== '' || target.password !== '') {
    throw new TypeError(
      'the forward URL must not contain a user name or password: sign requests with a secret instead',
    );
  }
  return target;
}

function createSigner(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch (cause) {
    throw new TypeError('the forward secret must be base64, with or without the prefix whsec_', { cause });
  }
}
