import { isDeepStrictEqual } from 'node:util';
import { normalizeInstant } from '../contract/instant.ts';
import type { Resolution } from '../store/ambiguities.ts';

/**
 * Whether a record of the provider has the content that an event returned to,
 * or the one it had before.
 *
 * Only what the two contents differ in is looked at, as far as the record shows
 * it: everything else may change without an event (interest accrues by the day)
 * or be shown by one of the two alone (`company.tax_id` comes with webhooks
 * only). A record that agrees with neither, or in part with each, tells nothing.
 */
export function currentContent(record: unknown, returned: unknown, before: unknown): Resolution {
  const places = differences(returned, before)
    .map((path) => ({ now: at(record, path), returned: at(returned, path), before: at(before, path) }))
    // Null is something that the record says; what is absent it does not show.
    .filter(({ now }) => now !== undefined);
  if (places.length === 0) return 'unconfirmed';
  if (places.every((place) => isSame(place.now, place.returned))) return 'confirmed';
  if (places.every((place) => isSame(place.now, place.before))) return 'superseded';
  return 'unconfirmed';
}

type Path = readonly string[];

function differences(one: unknown, other: unknown, path: Path = []): readonly Path[] {
  if (!isRecord(one) || !isRecord(other)) return isSame(one, other) ? [] : [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differences(own(one, name), own(other, name), [...path, name]));
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((holder, name) => (isRecord(holder) ? own(holder, name) : undefined), value);
}

function own(holder: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** Absent is null, and an instant is the same however it is written. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || one === null || other === undefined || other === null)
    return (one ?? null) === (other ?? null);
  if (typeof one === 'string' && typeof other === 'string')
    return one === other || (normalizeInstant(one) ?? one) === (normalizeInstant(other) ?? other);
  return isDeepStrictEqual(one, other);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
