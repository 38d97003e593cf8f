import type { JsonObject } from '../kernel/json/json.ts';

/**
 * How the events of a family are ordered. Null when this payload lacks what the
 * order goes by.
 *
 * Versions of one family are compared as plain strings, so that every part of
 * them but the last has a fixed width, see {@link ordered}.
 */
export type VersionRule = (kind: string, data: JsonObject) => string | null;

/** Joins an instant with what breaks ties between events of the same instant. */
export function ordered(instant: string, ...ties: readonly string[]): string {
  return [instant, ...ties].join('/');
}
