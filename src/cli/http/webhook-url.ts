/** The URLs by which a listener is reached. */
import { isIPv6 } from 'node:net';

interface WebhookAddress {
  readonly host: string;
  readonly port: number;
  readonly source?: string;
}

/** The URL of a listener on this address. `0.0.0.0` and `::` stay: they name every address of the machine. */
export function listeningUrl({ host, port, source = 'default' }: WebhookAddress): string {
  const path = source === 'default' ? '/webhooks' : `/webhooks/${encodeURIComponent(source)}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${String(port)}${path}`;
}

/** The URL that reaches such a listener from this machine: loopback if it listens on every address. */
export function webhookUrl(address: WebhookAddress): string {
  const { host } = address;
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return listeningUrl({ ...address, host: reachable });
}

/** Whether a listener on this host takes connections to every address of the machine. */
export function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
