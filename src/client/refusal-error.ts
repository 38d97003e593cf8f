import { errorBody } from '../contract/api/response.ts';
import { readText, TextTooLong } from '../kernel/http/read-text.ts';
import { retryAfterMs } from '../kernel/http/retry-after.ts';
import { ClientError, type ClientErrorCode } from './client-error.ts';

const codes: Readonly<Record<number, ClientErrorCode>> = {
  400: 'bad-request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  422: 'unprocessable',
  429: 'rate-limited',
};

/** The longest `Retry-After` that an error reports: a day. The caller decides what to wait for. */
const MAX_REPORTED_MS = 86_400_000;

/** Of a refusal, in bytes: `{error, message}` has a few hundred. */
const MAX_REFUSAL = 65_536;

/** The body of an answer that is no success; empty when it is too long to be the specification's. */
export async function readRefusal(response: Response): Promise<string> {
  try {
    return await readText(response, MAX_REFUSAL);
  } catch (error) {
    if (error instanceof TextTooLong) return '';
    throw error;
  }
}

/**
 * What an answer that is no success means. Its body need not be the
 * specification's `{error, message}`: what answers may be a proxy.
 *
 * @param now milliseconds since 1970.
 */
export function refusalError(
  operation: string,
  answer: { readonly status: number; readonly headers: Headers; readonly text: string },
  now: number,
): ClientError {
  const { status, headers, text } = answer;
  const body = errorBody.safeParse(jsonIn(text)).data;
  const code = codes[status] ?? (status >= 500 ? 'provider-failed' : 'refused');
  const redirected = status >= 300 && status < 400 ? ': redirects are not followed, the key stays here' : '';
  return new ClientError(code, `was answered ${String(status)}${redirected}`, {
    operation,
    status,
    label: body?.error,
    detail: body?.message,
    retryAfterMs: retryAfterMs(headers.get('retry-after'), now, MAX_REPORTED_MS),
    // What is refused for coming too often is refused before anything else.
    begun: status !== 429,
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
