/** The address to which webhooks of a source are sent. */
import { isIPv6 } from 'node:net';
import { proofHeader } from '../verify/headers.ts';
import type { VerifyOptions } from '../verify/verify-options.ts';
import type { Config } from './config.ts';

/** Where webhooks of a source are sent to, and how they are verified: never a secret. */
interface WebhookAddress {
  readonly url: string;
  readonly scheme: VerifyOptions['scheme'];
  /** The header with the proof; null where none has it. */
  readonly header: string | null;
  readonly messageIdHeader: string;
}

/**
 * Returns the address of a source on this machine.
 *
 * @param port the one in use, where the configuration asks for any
 */
export function webhookAddressOf(
  config: Pick<Config, 'host' | 'port' | 'sources'>,
  source: string,
  port = config.port,
): WebhookAddress {
  const { host } = config;
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const path = source === 'default' ? '/webhooks' : `/webhooks/${encodeURIComponent(source)}`;
  const verify = config.sources.get(source)?.verify;
  return {
    url: `http://${isIPv6(reachable) ? `[${reachable}]` : reachable}:${String(port)}${path}`,
    scheme: verify?.scheme ?? 'none',
    header: verify === undefined ? null : proofHeader(verify),
    messageIdHeader: verify?.messageIdHeader ?? 'webhook-id',
  };
}
