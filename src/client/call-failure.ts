/** Errors of the provider's API. */
import { errorCode } from '../kernel/errors.ts';
import { errorBody } from '../contract/api/response.ts';
import type { Method } from '../contract/api/endpoint.ts';
import { readText, TextTooLong } from '../kernel/http/read-text.ts';
import { retryAfterMs } from '../kernel/http/retry-after.ts';
import { ClientError, type ClientErrorCode } from './client-error.ts';
import { DeadlinePassed } from '../kernel/http/deadline.ts';

/** Milliseconds of the longest `Retry-After` that an error reports: a day. The caller decides how long to wait. */
const MAX_REPORTED_MS = 86_400_000;

const codes: Readonly<Record<number, ClientErrorCode>> = {
  400: 'bad-request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  422: 'unprocessable',
  429: 'rate-limited',
};

/** Bytes of an error response; `{error, message}` takes a few hundred. */
const MAX_ERROR_BYTES = 65_536;

/** Reads the body of an unsuccessful response; returns an empty string when it is too long. */
export async function readErrorBody(response: Response): Promise<string> {
  try {
    return await readText(response, MAX_ERROR_BYTES);
  } catch (error) {
    if (error instanceof TextTooLong) return '';
    throw error;
  }
}

/**
 * Returns the error for an unsuccessful response. The body may have any form,
 * because a proxy may have sent it instead of the provider.
 *
 * @param now milliseconds since 1970
 */
export function responseError(
  operation: string,
  response: { readonly status: number; readonly headers: Headers; readonly body: string },
  now: number,
): ClientError {
  const { status, headers } = response;
  const body = errorBody.safeParse(parseOrUndefined(response.body)).data;
  const code = codes[status] ?? (status >= 500 ? 'provider-failed' : 'refused');
  const redirect =
    status >= 300 && status < 400 ? ': redirects are not followed, to keep the API key from other hosts' : '';
  return new ClientError(code, `failed with status ${String(status)}${redirect}`, {
    operation,
    status,
    label: body?.error,
    detail: body?.message,
    retryAfterMs: retryAfterMs(headers.get('retry-after'), now, MAX_REPORTED_MS),
    // A rate limit applies before the request is processed.
    begun: status !== 429,
  });
}

/**
 * Returns the error for a call that ended without a usable response.
 *
 * @param received what was read when the connection failed, as in `a response`
 */
export function connectionError(operation: string, cause: unknown, received: string): ClientError {
  if (cause instanceof DeadlinePassed)
    return new ClientError('timed-out', `timed out: ${cause.message}`, { operation });
  if (cause instanceof TextTooLong)
    return new ClientError('unreadable', `received ${received} of ${cause.message}`, { operation, cause });
  return unreachable(operation, cause);
}

/** Errors of a connection that was never made, so that nothing was sent. */
const notConnected: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * The message of `fetch` is always "fetch failed"; its cause has the code of the
 * system's error. The message of the cause is not used: it may contain the URL
 * and, with it, personal data of a filter.
 */
function unreachable(operation: string, cause: unknown): ClientError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
  const code = errorCode(inner);
  const reason = code ?? (inner instanceof Error ? inner.name : 'the connection failed');
  return new ClientError('unreachable', `received no response: ${reason}`, {
    operation,
    cause,
    begun: code === undefined || !notConnected.has(code),
  });
}

/** Statuses that another attempt may change. */
const transient: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * Reports whether a failed call may be retried.
 *
 * - GET and PUT are idempotent: they are retried after any transient failure.
 * - A second POST could create a second slip or indication, and a second DELETE
 *   would fail (404, 422) although the first succeeded. They are retried only when
 *   the provider did not start: it responded 429, or no connection was made.
 */
export function isRetryable(method: Method, error: ClientError): boolean {
  const mayPass = error.status === null ? error.code !== 'unreadable' : transient.has(error.status);
  if (!mayPass) return false;
  return method === 'get' || method === 'put' || !error.begun;
}

function parseOrUndefined(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
