import { catalogue, type EventKind } from '../../src/contract/catalogue.ts';
import { fieldsOf, type Field, type Fields } from '../../src/contract/fields.ts';
import type { JsonObject, JsonValue } from '../../src/kernel/json/json.ts';

/** A field of a kind's payload, with its place. */
export interface PlacedField {
  /** Within `data`: `['company', 'tax_id']`. */
  readonly path: readonly string[];
  readonly field: Field;
}

/** Every declared field of a kind's payload, those of nested objects included. */
export function placedFields(kind: EventKind): readonly PlacedField[] {
  return place(fieldsOf(catalogue[kind].schema), []);
}

function place(fields: Fields, parent: readonly string[]): readonly PlacedField[] {
  return [...fields.values()].flatMap((field) => {
    const path = [...parent, field.name];
    return [{ path, field }, ...place(field.fields, path)];
  });
}

/** The payload with another value at a path; objects on the way that are null or absent are made. */
export function withValue(data: JsonObject, path: readonly string[], value: JsonValue): JsonObject {
  const [name = '', ...rest] = path;
  const nested = data[name];
  const inner = typeof nested === 'object' && nested !== null ? (nested as JsonObject) : {};
  return { ...data, [name]: rest.length === 0 ? value : withValue(inner, rest, value) };
}

/** The payload without the member at a path. */
export function without(data: JsonObject, path: readonly string[]): JsonObject {
  const [name = '', ...rest] = path;
  if (rest.length === 0) return Object.fromEntries(Object.entries(data).filter(([key]) => key !== name));
  const nested = data[name];
  if (typeof nested !== 'object' || nested === null) return data;
  return { ...data, [name]: without(nested as JsonObject, rest) };
}

/** What is wrong with a payload by its schema: `path: message`, paths within `data`; empty when it fits. */
export function issuesOf(kind: EventKind, data: unknown): readonly string[] {
  const result = catalogue[kind].schema.safeParse(data);
  return result.success
    ? []
    : result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
}
