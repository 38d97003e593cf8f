/** Sends a request to the provider, and repeats it where that is safe. */
import { readText } from '../kernel/http/read-text.ts';
import { backoffMs } from '../kernel/time/backoff.ts';
import { pause } from '../kernel/time/pause.ts';
import { connectionError, isRetryable, readErrorBody, responseError } from './call-failure.ts';
import { ClientError } from './client-error.ts';
import type { CallOptions } from './client.ts';
import type { Connection } from './client-options.ts';
import { startDeadline } from '../kernel/http/deadline.ts';
import type { ClientRequest } from './request.ts';

/** The longest `Retry-After` that a call waits for, in milliseconds. Beyond it the call fails, and the caller decides. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Bytes of a response; a page has 100 records of a few kilobytes. */
const MAX_RESPONSE_BYTES = 10 * 1024 * 1024;

/** A successful response, read to its end. */
export interface ReceivedResponse {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends a request and retries it where that is safe (see `isRetryable`). The
 * wait is the `Retry-After` of the response plus exponential backoff with full
 * jitter. A wait that would exceed the remaining time is not started.
 *
 * @throws ClientError of the last attempt; the reason of the caller's signal.
 */
export async function send(
  request: ClientRequest,
  connection: Connection,
  options: CallOptions,
): Promise<ReceivedResponse> {
  const { clock, random, retry, timeoutMs } = connection;
  const signal = options.signal ?? new AbortController().signal;
  const end = clock.monotonic() + (options.totalTimeoutMs ?? connection.totalTimeoutMs);
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      const limitMs = Math.min(options.timeoutMs ?? timeoutMs, end - clock.monotonic());
      return await sendOnce(request, connection, { limitMs, signal });
    } catch (error) {
      if (!ClientError.is(error) || attempt >= retry.attempts || !isRetryable(request.method, error))
        throw error;
      const retryAfterMs = error.retryAfterMs ?? 0;
      if (retryAfterMs > MAX_RETRY_AFTER_MS) throw error;
      const waitMs = retryAfterMs + backoffMs(retry, attempt, random);
      if (clock.monotonic() + waitMs >= end) throw error;
      await pause(clock, waitMs, signal);
    }
  }
}

async function sendOnce(
  { operation, url, init }: ClientRequest,
  { fetch, clock }: Connection,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<ReceivedResponse> {
  const deadline = startDeadline(clock, limitMs, signal);
  let response: Response;
  let body: string;
  try {
    response = await deadline.race(fetch(url, { ...init, signal: deadline.signal }));
    body = await deadline.race(
      response.ok ? readText(response, MAX_RESPONSE_BYTES) : readErrorBody(response),
    );
  } catch (cause) {
    signal.throwIfAborted();
    throw connectionError(operation, cause, 'a response');
  } finally {
    deadline.end();
  }
  const { ok, status, headers } = response;
  if (!ok) throw responseError(operation, { status, headers, body }, clock.now());
  return { status, body };
}
