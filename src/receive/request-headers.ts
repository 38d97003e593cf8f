/** Reads the headers of a request as names and texts, and finds those that came twice. */
import type { IncomingMessage } from 'node:http';

/** The request's headers by lower-case name. Node lists only `set-cookie`, which no request carries. */
export function stringHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  if (headers['set-cookie'] === undefined) return headers as Readonly<Record<string, string>>;
  return Object.fromEntries(Object.entries(headers).filter(isString));
}

/**
 * Lower-case names of the headers that were sent more than once. Node's `headers`
 * joins or drops repeats, depending on the name; only `rawHeaders` shows them.
 */
export function repeatedHeaders({ headers, rawHeaders }: IncomingMessage): readonly string[] {
  let names = 0;
  for (const name in headers) if (headers[name] !== undefined) names += 1;
  return names * 2 === rawHeaders.length ? [] : namesSentTwice(rawHeaders);
}

function namesSentTwice(rawHeaders: readonly string[]): readonly string[] {
  const names = rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  return [...new Set(names.filter((name, at) => names.indexOf(name) < at))];
}

function isString(entry: readonly [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}
