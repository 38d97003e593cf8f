/** What a handlers file exports, and how an export is recognized as such. */
import { patternMatches } from '../../contract/event-pattern.ts';
import type { Handler } from './handler.ts';
import type { Machine } from './machine.ts';
import { definitionMark, fromConfigMark, hasMark } from './marks.ts';

/** What a handlers file exports: the result of `defineHandler` or `defineMachine`. */
export type Definition = Handler | Machine;

/** Accepts definitions that another copy of this package made, and copies made with `...`. */
export function isDefinition(value: unknown): value is Definition {
  return hasMark(value, definitionMark);
}

/**
 * Reports whether a definition receives an event. Unrecognized events go to
 * handlers that match them by a wildcard, and never to machines.
 */
export function wantsEvent(
  definition: Definition,
  event: { readonly kind: string; readonly recognized: boolean },
): boolean {
  if (!event.recognized && definition.type === 'machine') return false;
  return definition.on.some(
    (pattern) => (event.recognized || pattern.includes('*')) && patternMatches(pattern, event.kind),
  );
}

/** The part of the configuration that `fromConfig` passes to handlers files. */
export interface HandlerConfig {
  /** Where `forward` sends events; null when forwarding is off. */
  readonly forward: {
    readonly url: string;
    /** The Standard Webhooks secret that signs forwarded events (`whsec_…`); null sends them unsigned. */
    readonly secret: string | null;
    /** Milliseconds to wait for the whole response. */
    readonly timeoutMs: number;
    /** Statuses of the target's response that make an event a dead letter at once; all other errors are retried. */
    readonly giveUp: readonly number[];
  } | null;
}

type Configured = Definition | readonly Definition[] | undefined;

/** The result of `fromConfig`. */
export interface FromConfig {
  readonly [fromConfigMark]: (config: HandlerConfig) => Configured;
}

/**
 * Defers a definition until the configuration is known. A handlers file exports the result:
 *
 * ```ts
 * export default fromConfig(({ forward }) => (forward === null ? undefined : myForward(forward.url)));
 * ```
 *
 * @param configure returns one definition or a list of them; undefined adds no handler.
 */
export function fromConfig(configure: (config: HandlerConfig) => Configured): FromConfig {
  return { [fromConfigMark]: configure };
}

export function isFromConfig(value: unknown): value is FromConfig {
  return hasMark(value, fromConfigMark);
}
