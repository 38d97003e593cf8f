/** Checks a source, wherever it is described. */
import type { SourceFields } from '../contract/source-fields.ts';
import { TRACEPARENT } from '../kernel/http/traceparent.ts';
import { sharedSecrets } from '../verify/public-keys.ts';
import { DAY_MS } from '../kernel/time/durations.ts';
import type { Config, ConfiguredSource } from './config.ts';
import type { Found } from './found-mistakes.ts';
import { isPlaceholder } from './secret-strength.ts';
import { apiUrl as apiUrlSchema } from './setting-schemas.ts';
import { readSecretFile } from './text-file.ts';
import { checkVerification, type Given, type GivenSource, type SourceDefaults } from './verification.ts';

/** For so many milliseconds a source that others can reach may take webhooks without proof. */
const MAX_OBSERVATION_MS = 31 * DAY_MS;

/**
 * Checks a source. Undefined if its verification has problems.
 *
 * @param configured replaces what is given
 */
export function checkSource(
  given: GivenSource,
  defaults: SourceDefaults,
  found: Found,
  configured?: ConfiguredSource,
): ConfiguredSource | undefined {
  const verify = configured?.verify ?? checkVerification(given, defaults, found);
  const { isDefault, key, at } = given;
  const { apiUrl, ...fields } = given.fields;
  const report = (where: string, message: string): void => void found.problems.push({ where, message });
  const { error } = apiUrlSchema.optional().safeParse(apiUrl);
  if (error !== undefined) report(at('apiUrl'), error.issues[0]?.message ?? 'is not valid');
  const apiKey = key.values?.[0];
  if (apiKey !== undefined && isPlaceholder(apiKey))
    report(key.where, 'is a placeholder; replace it with the key that the provider issued');
  if (apiUrl === undefined && apiKey !== undefined)
    report(at('apiUrl'), 'is missing; set the URL and the key together');
  if (apiUrl !== undefined && key.values?.length === 0)
    report(key.where, 'is missing; set the URL and the key together');
  if (fields.handshake === 'meta' && verify !== undefined && sharedSecrets(verify).length === 0)
    report(
      at('handshake'),
      'needs a secret, which the sender shows as hub.verify_token: verify the source by one (a public key is none)',
    );
  if (fields.subpaths === true && isDefault)
    report(
      at('subpaths'),
      'would be other sources: /webhooks/<source>; give the sender a source with a name',
    );
  const { reachable, now } = defaults;
  const latest = now + MAX_OBSERVATION_MS;
  if (fields.observe !== undefined && reachable !== null && (endOfObservation(fields) ?? Infinity) > latest)
    report(
      at('observe'),
      `takes webhooks from anybody who can reach ${reachable}; give it an end within 31 days, ${new Date(latest - DAY_MS).toISOString().slice(0, 10)} at the latest`,
    );
  const api = apiUrl === undefined || apiKey === undefined ? {} : { api: { url: apiUrl, key: apiKey } };
  if (verify === undefined) return undefined;
  const source = { ...fields, ...api, ...configured, verify };
  if (source.trace !== true) return source;
  if (verify.scheme === 'none')
    report(at('trace'), 'needs verification: with scheme "none", anybody can send a traceparent');
  return storing(source, [TRACEPARENT]);
}

/** Stores further headers with the events of a source. */
export function storing(source: ConfiguredSource, headers: readonly string[]): ConfiguredSource {
  const { verify } = source;
  if (headers.length === 0) return source;
  return { ...source, verify: { ...verify, storedHeaders: [...(verify.storedHeaders ?? []), ...headers] } };
}

/** Reads values that a field or variable has, or the file that another one names. */
export function readGiven(
  [name, values]: readonly [name: string, values: readonly string[] | undefined],
  [fileName, path]: readonly [name: string, path: string | undefined],
  { at, cwd, found }: { at: (name: string) => string; cwd: string; found: Found },
): Given {
  if (path === undefined) return { values: values ?? [], where: at(name) };
  const where = at(fileName);
  const { lines, mistake } = readSecretFile(path, cwd);
  const message = values === undefined ? mistake : `and ${name} are both set; keep one of them`;
  if (message !== undefined) found.problems.push({ where, message });
  return { values: message === undefined ? lines : undefined, where };
}

/** When an observation ends, in milliseconds since 1970: with its last day, in UTC. Null for never. */
export function endOfObservation({ observe }: SourceFields): number | null {
  return typeof observe === 'object' ? Date.parse(`${observe.until}T00:00:00Z`) + DAY_MS : null;
}

/** The sources that are observed, and until when. */
export function observedSources({ sources }: Pick<Config, 'sources'>): ReadonlyMap<string, number | null> {
  const observed = [...sources].filter(([, { observe }]) => observe !== undefined);
  return new Map(observed.map(([name, source]) => [name, endOfObservation(source)]));
}
