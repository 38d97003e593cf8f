/** Checks what a source says besides how it is verified. */
import type { SourceFields } from '../contract/source-fields.ts';
import { DAY_MS } from '../kernel/time/durations.ts';
import type { Problem } from '../kernel/errors.ts';
import type { Config, ConfiguredSource } from './config.ts';
import { isPlaceholder } from './secret-strength.ts';
import { apiUrl as apiUrlSchema } from './setting-schemas.ts';

/** The key of a source's API: from a variable, a file or the entry itself. */
export interface GivenKey {
  readonly value: string | undefined;
  /** The field or variable with the key, for problems. */
  readonly where: string;
}

/** What a source says besides its verification, or what is wrong with it. */
export interface CheckedFields {
  readonly fields: Omit<ConfiguredSource, 'verify'>;
  readonly problems: readonly Problem[];
}

/**
 * Checks the fields whose values the schema alone cannot judge.
 *
 * @param at the place of a field, for problems
 * @param about the source, whether its verification has secrets, and the address of the port if other machines
 *   can reach it
 */
export function checkFields(
  { apiUrl, ...fields }: SourceFields,
  key: GivenKey,
  at: (field: keyof SourceFields) => string,
  { name, hasSecrets, reachable }: { name: string; hasSecrets: boolean; reachable: string | null },
): CheckedFields {
  const problems: Problem[] = [];
  const report = (where: string, message: string): void => void problems.push({ where, message });
  const { error } = apiUrlSchema.optional().safeParse(apiUrl);
  if (error !== undefined) report(at('apiUrl'), error.issues[0]?.message ?? 'is not valid');
  if (key.value !== undefined && isPlaceholder(key.value))
    report(key.where, 'is a placeholder; replace it with the key that the provider issued');
  if (apiUrl === undefined && key.value !== undefined)
    report(at('apiUrl'), 'is missing; set the URL and the key together');
  if (apiUrl !== undefined && key.value === undefined)
    report(key.where, 'is missing; set the URL and the key together');
  if (fields.handshake === 'meta' && !hasSecrets)
    report(at('handshake'), 'needs a secret, which the sender shows as hub.verify_token: verify the source');
  if (fields.subpaths === true && name === 'default')
    report(
      at('subpaths'),
      'would be other sources: /webhooks/<source>; give the sender a source with a name',
    );
  if (fields.observe === true && reachable !== null) report(at('observe'), observeForEver(reachable));
  const api = apiUrl === undefined || key.value === undefined ? undefined : { url: apiUrl, key: key.value };
  return { fields: { ...fields, ...(api !== undefined && { api }) }, problems };
}

/** Why a source must not be observed for ever. */
export function observeForEver(reachable: string): string {
  return `takes webhooks from anybody who can reach ${reachable}; give it an end, such as 2026-12-31`;
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

/** The message id header that the field `messageId` names; undefined when it names a path, or nothing. */
export function headerOfMessageId({ messageId }: SourceFields): string | undefined {
  return typeof messageId === 'object' ? messageId.header.toLowerCase() : undefined;
}
