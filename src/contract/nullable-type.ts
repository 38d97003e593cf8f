import type { JsonObject, JsonValue } from '../kernel/json/json.ts';

/**
 * Writes `anyOf: [{type: 'string', …}, {type: 'null'}]` as `type: ['string',
 * 'null'], …` throughout a JSON Schema, so that a field's keywords, its
 * description and marks among them, stand side by side.
 */
export function withNullableTypes(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).map(([key, value]) => [key, descend(value)] as const);
  return mergeNull(Object.fromEntries(members));
}

function descend(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => descend(item as JsonValue));
  return isObject(value) ? withNullableTypes(value) : value;
}

function mergeNull(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [some, none] = anyOf as readonly JsonValue[];
  if (!isObject(some) || !isObject(none)) return schema;
  if (typeof some['type'] !== 'string' || none['type'] !== 'null') return schema;
  const allowed = some['enum'];
  return {
    ...some,
    ...(Array.isArray(allowed) && { enum: [...(allowed as readonly JsonValue[]), null] }),
    ...rest,
    type: [some['type'], 'null'],
  };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
