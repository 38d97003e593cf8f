import type { Endpoint } from '../contract/api/endpoint.ts';
import { backoffMs } from '../kernel/time/backoff.ts';
import { pause } from '../kernel/time/pause.ts';
import { TextTooLong } from '../kernel/http/read-text.ts';
import { ClientError } from './client-error.ts';
import type { Connection } from './connection.ts';
import { DeadlinePassed, startDeadline } from './deadline.ts';
import type { CallOptions } from './operation.ts';
import { readMessages } from './read-messages.ts';
import { readStreamEvent, type StreamEvent } from './read-stream-event.ts';
import { readRefusal, refusalError } from './refusal-error.ts';
import { repeatable } from './repeatable.ts';
import type { ClientRequest } from './request.ts';
import { unreachable } from './unreachable.ts';

/** Of one stream, over all of its connections. */
interface Progress {
  /** Whether it was there once. */
  opened: boolean;
  /** Tries in a row that brought no event. */
  failures: number;
  lastEventId: string | null;
  /** What the server asks to wait for before a connection, in milliseconds. */
  retryMs: number;
}

/**
 * The events of a stream until the one that ends it, over as many connections
 * as it takes: one that drops, or says nothing for too long, is opened anew.
 * When the stream is gone by then (404), it has ended meanwhile, and the
 * iteration ends without the last event.
 *
 * @throws ClientError when it cannot be opened, or no try in a row brings an
 *   event; the reason of the caller's signal.
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
      for await (const event of oneConnection(
        endpoint,
        request,
        connection,
        { ...options, signal },
        progress,
      )) {
        yield event;
        if (event.event === endpoint.response.last) return;
      }
      throw new ClientError('unreachable', 'was cut off before its end', { operation: request.operation });
    } catch (error) {
      if (!ClientError.is(error)) throw error;
      if (error.code === 'not-found' && progress.opened) return;
      progress.failures += 1;
      if (!repeatable(request.method, error) || progress.failures >= retry.attempts) throw error;
      const asked = Math.max(progress.retryMs, error.retryAfterMs ?? 0);
      await pause(clock, asked + backoffMs(retry, progress.failures, random), signal);
    }
  }
}

async function* oneConnection(
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
      throw refusalError(
        operation,
        { status, headers, text: await deadline.race(readRefusal(response)) },
        clock.now(),
      );
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
    if (cause instanceof TextTooLong)
      throw new ClientError('unreadable', `sent an event of ${cause.message}`, { operation, cause });
    if (cause instanceof DeadlinePassed)
      throw new ClientError('timed-out', `timed out: ${cause.message}`, { operation });
    throw unreachable(operation, cause);
  } finally {
    deadline.end();
  }
}
