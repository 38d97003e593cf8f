import type { VerifyOptions } from './verify-options.ts';

/** Worth keeping beside the bytes. Signatures, tokens, cookies and addresses are not. */
const KEPT = ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'];

/** The headers that are stored with a delivery: never the one that proves who sent it. */
export function keptHeaders(
  headers: Readonly<Record<string, string>>,
  options: VerifyOptions,
): Readonly<Record<string, string>> {
  const names = new Set([...KEPT, options.messageIdHeader]);
  if ('header' in options) names.delete(options.header);
  names.delete('webhook-signature');
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.has(name)));
}
