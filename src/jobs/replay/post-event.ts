/** Posts a stored event to the target of a replay. */
import { TRACEPARENT, traceHeaders, validTraceparent } from '../../kernel/http/traceparent.ts';
import { post, type PostDeps } from '../../kernel/http/post.ts';
import type { StoredDelivery } from '../../event/stored-event.ts';
import { subjectName } from '../../event/subject.ts';
import { signingHeaders } from '../../verify/sign-body.ts';
import type { VerifyOptions } from '../../verify/verify-options.ts';
import { classifyResponse } from './classify-response.ts';
import type { Post } from './send-events.ts';

/** How events are posted. */
export interface PostSettings {
  /** Signs by Standard Webhooks; null for no signature. */
  readonly secret: string | null;
  readonly timeoutMs: number;
  /** Statuses by which a target rejects an event for good. */
  readonly giveUp: readonly number[];
}

/** Many servers reject longer header values, and the event with them. */
const MAX_HEADER_LENGTH = 512;

/**
 * Creates what posts stored events to the target of a replay, with the headers that the
 * shipped handler `forward` sends. The message id is the event id, so the target can detect duplicates.
 * A configured secret signs by Standard Webhooks.
 */
export function createPost(
  { secret, timeoutMs, giveUp }: PostSettings,
  deps: PostDeps,
): (url: string) => Post {
  const { clock } = deps;
  const verify: VerifyOptions | null =
    secret === null ? null : { scheme: 'standard', secrets: [secret], messageIdHeader: 'webhook-id' };
  return (url) => async (event, body) => {
    const message = { id: event.id, now: clock.now() };
    const signature = verify === null ? {} : signingHeaders(verify, body, message);
    const headers = { ...eventHeaders(event, message.now), ...signature };
    try {
      // Only the status counts: a body that is too long or too slow changes nothing.
      const { status, retryAfter } = await post({ url, headers, body, timeoutMs }, deps);
      return classifyResponse(status, retryAfter, clock.now(), giveUp);
    } catch (error) {
      return { status: 'failed', reason: (error as Error).message, afterMs: null };
    }
  };
}

function eventHeaders(event: StoredDelivery, now: number): Record<string, string> {
  return {
    'user-agent': 'portaria',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'portaria-kind': headerValue(event.kind),
    'portaria-subject': headerValue(subjectName(event.subject)),
    'portaria-source': headerValue(event.source),
    'portaria-verdict': event.verdict,
    'portaria-replay': 'true',
    ...traceHeaders(validTraceparent(event.headers[TRACEPARENT])),
  };
}

/** Percent-encodes, as UTF-8, what is not printable ASCII: senders choose kinds and ids. */
function headerValue(value: string): string {
  return value
    .slice(0, MAX_HEADER_LENGTH)
    .replaceAll(/[^ -$&-~]/gu, (character) =>
      [...Buffer.from(character)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join(''),
    );
}
