import { catalogue, type EventKind } from '../../../src/contract/catalogue.ts';
import { fieldsOf, type Field, type Fields } from '../../../src/contract/fields.ts';
import type { JsonObject, JsonValue } from '../../../src/kernel/json/json.ts';

/** A field of a kind's payload, with its path. */
export interface PlacedField {
  /** The path within `data`: `['company', 'tax_id']`. */
  readonly path: readonly string[];
  readonly field: Field;
}

/** Every declared field of a kind's payload, including fields of nested objects. */
export function placedFields(kind: EventKind): readonly PlacedField[] {
  return withPaths(fieldsOf(catalogue[kind].schema), []);
}

function withPaths(fields: Fields, parent: readonly string[]): readonly PlacedField[] {
  return [...fields.values()].flatMap((field) => {
    const path = [...parent, field.name];
    return [{ path, field }, ...withPaths(field.fields, path)];
  });
}

/** Returns the payload with another value at a path. Missing or null objects on the way are created. */
export function withValue(data: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [name = '', ...rest] = path;
  const nested = data[name];
  const inner = typeof nested === 'object' && nested !== null ? (nested as JsonObject) : {};
  return { ...data, [name]: rest.length === 0 ? value : withValue(inner, rest, value) };
}

/** Returns the payload without the member at a path. */
export function without(data: JsonObject, path: readonly string[]): JsonObject {
  const [name = '', ...rest] = path;
  if (rest.length === 0) return Object.fromEntries(Object.entries(data).filter(([key]) => key !== name));
  const nested = data[name];
  if (typeof nested !== 'object' || nested === null) return data;
  return { ...data, [name]: without(nested as JsonObject, rest) };
}

/** Validates a payload against its schema. Returns `path: message` for each issue; empty when it is valid. */
export function issuesOf(kind: EventKind, data: unknown): readonly string[] {
  const result = catalogue[kind].schema.safeParse(data);
  return result.success
    ? []
    : result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}
