/** Reads the settings of what the receiver calls: the application, the API of the provider, the target of alerts. */
import type { Config } from './config.ts';
import { reportSecret, type Found } from './found-mistakes.ts';
import { reachable, isLoopback } from './loopback.ts';
import type { ReadSettings } from './read-settings.ts';
import { checkStandardSecret, isPlaceholder } from './secret-strength.ts';
import type { SettingName } from './settings.ts';
import { hostname, networkInterfaces } from 'node:os';

/** Reads where the receiver passes events on; null when it does not. */
export function readForward(settings: ReadSettings, found: Found): Config['forward'] {
  const { values } = settings;
  const { PORTARIA_FORWARD_SECRET: secret, PORTARIA_FORWARD_URL: url } = values;
  if (secret !== undefined) {
    const target = url === undefined ? undefined : new URL(url).hostname;
    const open = reachable(values.PORTARIA_HOST) ?? reachable(target);
    reportSecret('PORTARIA_FORWARD_SECRET', checkStandardSecret(secret, open), settings, found);
  }
  if (url === undefined) return null;
  rejectOwnPort('PORTARIA_FORWARD_URL', settings, found, {
    would: 'every event would come back as a webhook',
    instead: 'name the application that gets the events',
  });
  return { url, ...readPosting(settings) };
}

/** Reads how events are posted. */
export function readPosting({ values }: ReadSettings): Config['posting'] {
  return {
    secret: values.PORTARIA_FORWARD_SECRET ?? null,
    timeoutMs: values.PORTARIA_FORWARD_TIMEOUT_MS ?? 10_000,
    giveUp: values.PORTARIA_FORWARD_GIVE_UP ?? [],
  };
}

/** Reads the API of the provider; null without one. */
export function readApi(settings: ReadSettings, found: Found): Config['api'] {
  const { values, origin } = settings;
  const { PORTARIA_API_URL: url, PORTARIA_API_KEY: key } = values;
  // The provider decides how long its keys are.
  if (key !== undefined && isPlaceholder(key))
    found.problems.push({
      where: origin('PORTARIA_API_KEY'),
      message: 'is a placeholder; replace it with the key that the provider issued',
    });
  if (url !== undefined && key !== undefined) return { url, key };
  requireBoth(['PORTARIA_API_URL', 'PORTARIA_API_KEY'], settings, found, 'set the URL and the key together');
  return null;
}

/** Reads the target of alerts; null without one. */
export function readAlert(settings: ReadSettings, found: Found): Config['alert'] {
  const { values } = settings;
  const { PORTARIA_ALERT_URL: url, PORTARIA_ALERT_SECRET: secret } = values;
  if (secret !== undefined) {
    const target = url === undefined ? undefined : new URL(url).hostname;
    reportSecret('PORTARIA_ALERT_SECRET', checkStandardSecret(secret, reachable(target)), settings, found);
  }
  rejectOwnPort('PORTARIA_ALERT_URL', settings, found, {
    would: 'an alert would come back as a webhook',
    instead: 'name the system that tells the operator',
  });
  if (url !== undefined && secret !== undefined) return { url, secret };
  requireBoth(
    ['PORTARIA_ALERT_URL', 'PORTARIA_ALERT_SECRET'],
    settings,
    found,
    'set the URL and the secret together (`echo "whsec_$(openssl rand -base64 32)"` makes one)',
  );
  return null;
}

/** Reports the settings of a pair that are missing while the other one is set. */
function requireBoth(
  both: readonly SettingName[],
  { isSet }: ReadSettings,
  { problems }: Found,
  remedy: string,
): void {
  for (const where of both)
    if (!isSet(where) && both.some(isSet)) problems.push({ where, message: `is missing; ${remedy}` });
}

/** Reports a target that is the receiver itself. */
function rejectOwnPort(
  where: 'PORTARIA_FORWARD_URL' | 'PORTARIA_ALERT_URL',
  { values }: ReadSettings,
  { problems }: Found,
  { would, instead }: { readonly would: string; readonly instead: string },
): void {
  const { [where]: url, PORTARIA_HOST: host, PORTARIA_PORT: port } = values;
  if (url === undefined || host === undefined || port === undefined) return;
  if (isOwnAddress(new URL(url), host, port))
    problems.push({
      where,
      message: `is this receiver's own public port (PORTARIA_HOST, PORTARIA_PORT), so ${would}; ${instead}`,
    });
}

/** Whether a request to `url` would arrive at a listener on `host` and `port`. Resolves no names. */
function isOwnAddress(url: URL, host: string, port: number): boolean {
  const defaultPort = url.protocol === 'https:' ? 443 : 80;
  if (port === 0 || port !== (url.port === '' ? defaultPort : Number(url.port))) return false;
  const target = plainHost(url.hostname);
  const own = plainHost(host);
  if (target === own) return true;
  if (isLoopback(own)) return isLoopback(target) || isAnyAddress(target);
  return isAnyAddress(own) && (isLoopback(target) || isAnyAddress(target) || namesOfMachine().has(target));
}

/** Lower case, without the brackets of IPv6, the dot of a full name, and the IPv6 form of IPv4's loopback. */
function plainHost(host: string): string {
  const plain = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/u, '$1')
    .replace(/\.$/u, '');
  if (/^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/u.test(plain)) return '127.0.0.1';
  return plain.endsWith('.localhost') ? 'localhost' : plain;
}

/** A listener there is reachable at every address; a client there reaches its own machine. */
function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function namesOfMachine(): ReadonlySet<string> {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list.map((one) => one.address));
  return new Set([hostname(), ...addresses].map(plainHost));
}
