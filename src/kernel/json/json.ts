/** The types of JSON values, and the reading of their members. */

/** Any value that JSON.parse returns. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Tells a JSON object from a list, a plain value and no value. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a value as JSON; undefined for one that JSON cannot hold, such as a BigInt, a circle or a function. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

/** Reads an own member; a missing one must not be found on the prototype. */
export function ownMember(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The value at a path of members; undefined when there is none. */
export function memberAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>(ownMember, value);
}
