import type { Config } from '../../config/config.ts';
import { judgeAnswer } from '../../replay/judge-answer.ts';
import type { Post } from '../../replay/send-to-target.ts';
import type { VerifyOptions } from '../../verify/verify-options.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { signingHeaders } from './sign-body.ts';

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
        headers: { 'content-type': 'application/json', 'webhook-id': event.id, ...signature },
        body: Buffer.from(body),
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      });
      // Unread, the answer would keep the connection.
      await response.body?.cancel();
      return judgeAnswer(response.status, response.headers.get('retry-after'), clock.now());
    } catch (error) {
      return { status: 'failed', reason: reasonOf(error), afterMs: null };
    }
  };
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
