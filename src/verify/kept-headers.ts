import type { VerifyOptions } from './verify-options.ts';

/** Worth keeping beside the bytes. Signatures, tokens, cookies and addresses are not. */
const KEPT = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'];

/** The headers that are stored with a delivery: never the one that proves who sent it. */
export type KeepHeaders = (headers: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;

/**
 * What keeps the headers worth keeping of the deliveries of one source. While
 * they stay the same it gives the same object, which is then written out once.
 */
export function keptHeaders(options: VerifyOptions): KeepHeaders {
  const names = new Set([...KEPT, options.messageIdHeader]);
  if ('header' in options) names.delete(options.header);
  names.delete('webhook-signature');
  let last: Readonly<Record<string, string>> = {};
  return (headers) => {
    for (const name of names) if (headers[name] !== last[name]) return (last = pick(headers, names));
    return last;
  };
}

function pick(headers: Readonly<Record<string, string>>, names: Iterable<string>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}
