/** The header `traceparent` of W3C Trace Context: read from what is stored, and sent on. */
import { channel } from 'node:diagnostics_channel';

/** The name of the header. */
export const TRACEPARENT = 'traceparent';

/** Version 00, the only one: the ids of a trace and of a span in it, neither of them zero, and the flags. */
const VALID = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;
const LENGTH = 55;

/** Returns the value of a received header, or null for one that is missing or not valid. */
export function validTraceparent(value: string | undefined): string | null {
  return value !== undefined && VALID.test(value) ? value : null;
}

/** A quote in the value of a header is escaped in JSON, so that no value can look like this name. */
const IN_JSON = `"${TRACEPARENT}":"`;

/**
 * Returns the valid `traceparent` of stored headers, or null. Most have none, and reading them as JSON would take longer
 * than all else.
 *
 * @param headers an object as JSON
 */
export function storedTraceparent(headers: string): string | null {
  const at = headers.indexOf(IN_JSON);
  if (at === -1) return null;
  const start = at + IN_JSON.length;
  return headers[start + LENGTH] === '"' ? validTraceparent(headers.slice(start, start + LENGTH)) : null;
}

/** What publishes each request of `fetch`. */
const requests = channel('undici:request:create');

/**
 * Returns the headers that a request of `fetch` sends on, for `ctx.traceparent`. There are none where OpenTelemetry
 * instruments `fetch`: it adds its own `traceparent` beside one that is there, and two are as good as none.
 */
export function traceHeaders(traceparent: string | null): Readonly<Record<string, string>> {
  return traceparent === null || requests.hasSubscribers ? {} : { [TRACEPARENT]: traceparent };
}
