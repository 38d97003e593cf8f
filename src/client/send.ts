import { backoffMs } from '../kernel/time/backoff.ts';
import { pause } from '../kernel/time/pause.ts';
import { readText, TextTooLong } from '../kernel/http/read-text.ts';
import { ClientError } from './client-error.ts';
import type { Connection } from './connection.ts';
import { DeadlinePassed, startDeadline } from './deadline.ts';
import type { CallOptions } from './operation.ts';
import { readRefusal, refusalError } from './refusal-error.ts';
import { repeatable } from './repeatable.ts';
import type { ClientRequest } from './request.ts';
import { unreachable } from './unreachable.ts';

/** Longest `Retry-After` that is waited for, in milliseconds; beyond it the caller decides. */
const MAX_WAIT_MS = 60_000;

/** Of one answer, in bytes: a page has 100 records of a few kilobytes. */
const MAX_RECORD = 10 * 1024 * 1024;

/** A success, read to its end. */
export interface Received {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request, again and again where that is safe (see `repeatable`), with
 * exponential backoff and full jitter on top of what `Retry-After` asks for.
 * A wait that the time left does not allow is not begun.
 *
 * @throws ClientError of the last try; the reason of the caller's signal.
 */
export async function send(
  request: ClientRequest,
  connection: Connection,
  options: CallOptions,
): Promise<Received> {
  const { clock, random, retry, timeoutMs } = connection;
  const signal = options.signal ?? new AbortController().signal;
  const end = clock.monotonic() + (options.totalTimeoutMs ?? connection.totalTimeoutMs);
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      const limitMs = Math.min(options.timeoutMs ?? timeoutMs, end - clock.monotonic());
      return await tryOnce(request, connection, { limitMs, signal });
    } catch (error) {
      if (!ClientError.is(error) || attempt >= retry.attempts || !repeatable(request.method, error))
        throw error;
      const asked = error.retryAfterMs ?? 0;
      if (asked > MAX_WAIT_MS) throw error;
      const waitMs = asked + backoffMs(retry, attempt, random);
      if (clock.monotonic() + waitMs >= end) throw error;
      await pause(clock, waitMs, signal);
    }
  }
}

async function tryOnce(
  { operation, url, init }: ClientRequest,
  { fetch, clock }: Connection,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<Received> {
  const deadline = startDeadline(clock, limitMs, signal);
  let response: Response;
  let text: string;
  try {
    response = await deadline.race(fetch(url, { ...init, signal: deadline.signal }));
    text = await deadline.race(response.ok ? readText(response, MAX_RECORD) : readRefusal(response));
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof DeadlinePassed)
      throw new ClientError('timed-out', `timed out: ${cause.message}`, { operation });
    if (cause instanceof TextTooLong)
      throw new ClientError('unreadable', `was answered ${cause.message}`, { operation, cause });
    throw unreachable(operation, cause);
  } finally {
    deadline.end();
  }
  const { ok, status, headers } = response;
  if (!ok) throw refusalError(operation, { status, headers, text }, clock.now());
  return { status, text };
}
