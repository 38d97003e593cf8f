/** What is allowed because only this machine can reach a port. */
import { isIPv4 } from 'node:net';
import type { Config } from './config.ts';

/** Whether only this machine can reach a listener on `host`. */
export function isLoopback(host: string): boolean {
  if (isIPv4(host)) return host.startsWith('127.');
  return host === 'localhost' || host === '::1' || host === '[::1]';
}

/** The host, if other machines can reach it; else null. */
export function reachable(host: string | undefined): string | null {
  return host === undefined || isLoopback(host) ? null : host;
}

/**
 * Names of the sources that only the loopback address protects, because nothing verifies their senders, now or ever. Their
 * requests must name this machine in `Host`, or a web page could reach them by DNS rebinding.
 */
export function loopbackOnlySources({
  host,
  sources,
}: Pick<Config, 'host' | 'sources'>): ReadonlySet<string> {
  if (!isLoopback(host)) return new Set();
  return new Set(
    [...sources].flatMap(([name, { verify, observe }]) =>
      verify.scheme === 'none' || observe !== undefined ? [name] : [],
    ),
  );
}

/**
 * Whether operators may send samples. Without the setting, only where nothing is configured for production: a
 * sample is an event, and its handlers run.
 */
export function maySendSamples({
  samples,
  host,
  ops,
  sources,
}: Pick<Config, 'samples' | 'host' | 'ops' | 'sources'>): boolean {
  if (samples !== null) return samples;
  const hasOperators = ops.token !== null || ops.viewToken !== null || ops.signOn !== null;
  const isVerified = sources.values().some(({ verify }) => verify.scheme !== 'none');
  return isLoopback(host) && isLoopback(ops.host) && !hasOperators && !isVerified;
}
