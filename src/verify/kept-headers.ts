import type { VerifyOptions } from './verify-options.ts';

/** Worth keeping beside the bytes. Signatures, tokens, cookies and addresses are not. */
const KEPT = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'];

/** The headers that are stored with a delivery: never the one that proves who sent it. */
export type KeepHeaders = (headers: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;

/** What keeps the headers worth keeping of the deliveries of one source. */
export function keptHeaders(options: VerifyOptions): KeepHeaders {
  const names = new Set([...KEPT, options.messageIdHeader]);
  if ('header' in options) names.delete(options.header);
  names.delete('webhook-signature');
  return (headers) => {
    const kept: Record<string, string> = {};
    for (const name of names) {
      const value = headers[name];
      if (value !== undefined) kept[name] = value;
    }
    return kept;
  };
}
