/** Follows a stream of the provider across reconnects. */
import type { Endpoint } from '../contract/api/endpoint.ts';
import { backoffMs } from '../kernel/time/backoff.ts';
import { pause } from '../kernel/time/pause.ts';
import { connectionError, isRetryable, readErrorBody, responseError } from './call-failure.ts';
import { ClientError } from './client-error.ts';
import type { CallOptions } from './client.ts';
import type { Connection } from './client-options.ts';
import { startDeadline } from '../kernel/http/deadline.ts';
import { readMessages, readStreamEvent, type StreamEvent } from './read-stream.ts';
import type { ClientRequest } from './request.ts';

/** The state of one stream, over all of its connections. */
interface Progress {
  /** True once a connection has opened. */
  opened: boolean;
  /** Consecutive connections without an event. */
  failures: number;
  lastEventId: string | null;
  /** The reconnection delay that the server requests, in milliseconds. */
  retryMs: number;
}

/**
 * Iterates over the events of a stream until its last one. A connection that
 * drops, or is idle for too long, is replaced by a new one. If the stream no
 * longer exists then (404), it has ended meanwhile, and the iteration ends
 * without the last event.
 *
 * @throws ClientError when the first connection fails, or when `retry.attempts` connections
 *   in a row bring no event; the reason of the caller's signal.
 */
export async function* followStream(
  endpoint: Endpoint,
  request: ClientRequest,
  connection: Connection,
  options: CallOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { clock, random, retry } = connection;
  const signal = options.signal ?? new AbortController().signal;
  const progress: Progress = { opened: false, failures: 0, lastEventId: null, retryMs: 0 };
  for (;;) {
    signal.throwIfAborted();
    try {
      for await (const event of readConnection(
        endpoint,
        request,
        connection,
        { ...options, signal },
        progress,
      )) {
        yield event;
        if (event.event === endpoint.response.last) return;
      }
      throw new ClientError('unreachable', 'lost its connection before the last event', {
        operation: request.operation,
      });
    } catch (error) {
      if (!ClientError.is(error)) throw error;
      if (error.code === 'not-found' && progress.opened) return;
      progress.failures += 1;
      if (!isRetryable(request.method, error) || progress.failures >= retry.attempts) throw error;
      const delayMs = Math.max(progress.retryMs, error.retryAfterMs ?? 0);
      await pause(clock, delayMs + backoffMs(retry, progress.failures, random), signal);
    }
  }
}

/** Yields the events of one connection, and records the stream's progress. */
async function* readConnection(
  endpoint: Endpoint,
  { operation, url, init }: ClientRequest,
  { fetch, clock, timeoutMs, idleMs, onDrift }: Connection,
  options: CallOptions & { readonly signal: AbortSignal },
  progress: Progress,
): AsyncGenerator<StreamEvent, void, undefined> {
  const deadline = startDeadline(clock, options.timeoutMs ?? timeoutMs, options.signal);
  try {
    const headers = new Headers(init.headers);
    if (progress.lastEventId !== null) headers.set('last-event-id', progress.lastEventId);
    const response = await deadline.race(fetch(url, { ...init, headers, signal: deadline.signal }));
    if (!response.ok) {
      const { status, headers } = response;
      const body = await deadline.race(readErrorBody(response));
      throw responseError(operation, { status, headers, body }, clock.now());
    }
    progress.opened = true;
    if (response.body === null) return;
    const onRetry = (ms: number): void => {
      progress.retryMs = ms;
    };
    for await (const message of readMessages(response.body, { deadline, idleMs, onRetry })) {
      progress.failures = 0;
      progress.lastEventId = message.id ?? progress.lastEventId;
      const event = readStreamEvent(endpoint, message, onDrift);
      if (event !== null) yield event;
    }
  } catch (cause) {
    options.signal.throwIfAborted();
    if (ClientError.is(cause)) throw cause;
    throw connectionError(operation, cause, 'an event');
  } finally {
    deadline.end();
  }
}
