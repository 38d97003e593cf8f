/** Posts JSON with a time limit. */
import type { Clock } from '../time/clock.ts';
import { DeadlinePassed, startDeadline } from './deadline.ts';
import { readText } from './read-text.ts';

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Milliseconds for the whole exchange, including the body of the response. */
  readonly timeoutMs: number;
}

/** What a request is sent with. */
export interface PostDeps {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Ends the exchange when it aborts. */
  readonly signal?: AbortSignal;
}

export interface PostResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  /** At most 64 KiB, or the error that reading it failed with: it was too long, or the time was up. */
  readonly body: string | Error;
}

/** The most bytes of a response that are read. */
const MAX_RESPONSE_BYTES = 65_536;

/**
 * POSTs JSON with a time limit and reads the response, so that its connection can be reused. Redirects
 * are not followed.
 *
 * @throws Error with a readable reason when there is no response, or none in time.
 */
export async function post(
  { url, headers, body, timeoutMs }: PostRequest,
  { fetch, clock, signal }: PostDeps,
): Promise<PostResponse> {
  const deadline = startDeadline(clock, timeoutMs, signal);
  try {
    const response = await deadline.race(
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: Buffer.from(body),
        redirect: 'manual',
        signal: deadline.signal,
      }),
    );
    const read = deadline.race(readText(response, MAX_RESPONSE_BYTES));
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      body: await read.catch((error: unknown) => failure(error, timeoutMs)),
    };
  } catch (error) {
    throw failure(error, timeoutMs);
  } finally {
    deadline.end();
  }
}

/** The cause of a failed `fetch`, whose own message is only "fetch failed". */
function failure(error: unknown, timeoutMs: number): Error {
  if (error instanceof DeadlinePassed)
    return new Error(`no complete response within ${String(timeoutMs / 1000)} s`);
  if (!(error instanceof Error)) return new Error(String(error));
  const cause = error.cause instanceof Error ? error.cause : error;
  return cause.message === '' && 'code' in cause ? new Error(String(cause.code)) : cause;
}
