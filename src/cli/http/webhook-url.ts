import { isIPv6 } from 'node:net';

/** Where to post from this machine: a listener on every address is reached on loopback. */
export function webhookUrl(options: {
  readonly host: string;
  readonly port: number;
  readonly source?: string;
}): string {
  const { host, port, source = 'default' } = options;
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const path = source === 'default' ? '/webhooks' : `/webhooks/${encodeURIComponent(source)}`;
  return `http://${isIPv6(name) ? `[${name}]` : name}:${String(port)}${path}`;
}
