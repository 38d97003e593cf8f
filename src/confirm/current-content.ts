/** Finds which of two contents the provider has now. */
import { isDeepStrictEqual } from 'node:util';
import { normalizeInstant } from '../contract/instant.ts';
import { isJsonObject } from '../kernel/json/json.ts';
import type { Resolution } from '../store/ambiguities.ts';

/**
 * Compares a record of the provider with two contents of its events: the one an
 * event returned to (`confirmed`) and the one before it (`superseded`).
 *
 * It compares only fields in which the two contents differ and that the record
 * has. Other fields may change without an event (interest accrues daily) or
 * appear in webhooks only (`company.tax_id`). A record that matches neither, or
 * matches each in part, is `unconfirmed`.
 */
export function currentContent(record: unknown, returned: unknown, before: unknown): Resolution {
  const places = differences(returned, before)
    .map((path) => ({ now: at(record, path), returned: at(returned, path), before: at(before, path) }))
    // A null is a value; an absent field is unknown.
    .filter(({ now }) => now !== undefined);
  if (places.length === 0) return 'unconfirmed';
  if (places.every((place) => isSame(place.now, place.returned))) return 'confirmed';
  if (places.every((place) => isSame(place.now, place.before))) return 'superseded';
  return 'unconfirmed';
}

type Path = readonly string[];

function differences(one: unknown, other: unknown, path: Path = []): readonly Path[] {
  if (!isJsonObject(one) || !isJsonObject(other)) return isSame(one, other) ? [] : [path];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) => differences(own(one, name), own(other, name), [...path, name]));
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (holder, name) => (isJsonObject(holder) ? own(holder, name) : undefined),
    value,
  );
}

function own(holder: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** Treats an absent value as null, and compares instants whatever their notation. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || one === null || other === undefined || other === null)
    return (one ?? null) === (other ?? null);
  if (typeof one === 'string' && typeof other === 'string')
    return one === other || (normalizeInstant(one) ?? one) === (normalizeInstant(other) ?? other);
  return isDeepStrictEqual(one, other);
}
