import type { Config } from '../../config/config.ts';
import type { StoredDelivery } from '../../event/stored-event.ts';
import { subjectName } from '../../event/subject.ts';
import { classifyResponse } from '../../replay/classify-response.ts';
import type { Post } from '../../replay/send-to-target.ts';
import type { VerifyOptions } from '../../verify/verify-options.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { signingHeaders } from './sign-body.ts';

/** Longer ones many servers refuse, and the event with them. */
const MAX_HEADER = 512;

/**
 * Posts stored bytes as `forward` does: the event's id is the message id, so a
 * receiver tells a second time from a first; signed by Standard Webhooks when
 * a secret is configured.
 */
export function createPost(
  { url, secret, timeoutMs }: NonNullable<Config['forward']>,
  { fetch, clock }: Pick<Terminal, 'fetch' | 'clock'>,
): Post {
  const verify: VerifyOptions | null =
    secret === null ? null : { scheme: 'standard', secrets: [secret], messageIdHeader: 'webhook-id' };
  return async (event, body) => {
    const message = { id: event.id, now: clock.now() };
    const signature = verify === null ? {} : signingHeaders(verify, body, message);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...about(event, message.now), ...signature },
        body: Buffer.from(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      // Unread, the answer would keep the connection.
      await response.body?.cancel();
      return classifyResponse(response.status, response.headers.get('retry-after'), clock.now());
    } catch (error) {
      return { status: 'failed', reason: reasonOf(error), afterMs: null };
    }
  };
}

/** What `forward` sends along, for the same receivers. */
function about(event: StoredDelivery, now: number): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'portaria',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'portaria-kind': headerText(event.kind),
    'portaria-subject': headerText(subjectName(event.subject)),
    'portaria-source': headerText(event.source),
    'portaria-verdict': event.verdict,
    'portaria-replay': 'true',
  };
}

/** Kinds and ids are whatever the sender wrote: what is not printable ASCII goes percent-encoded, as UTF-8. */
function headerText(text: string): string {
  return text
    .slice(0, MAX_HEADER)
    .replaceAll(/[^ -$&-~]/gu, (character) =>
      [...Buffer.from(character)]
        .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
        .join(''),
    );
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
