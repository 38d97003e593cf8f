import { z } from 'zod';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { catalogue, eventKinds, type EventKind } from './catalogue.ts';

const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Returns the JSON Schema (draft 2020-12) of one kind's webhook body.
 *
 * It has three keywords of its own: `x-personal-data`, `x-check-digits` and `x-known-values`. JSON Schema cannot check that the day
 * of a timestamp exists, so it accepts slightly more than the contract.
 */
export function kindJsonSchema(kind: EventKind): JsonObject {
  return { $schema: DRAFT_2020_12, ...envelopeSchema(kind, payloadSchema(kind, 'draft-2020-12')) };
}

/** Returns one JSON Schema (draft 2020-12) of the webhook bodies of all kinds: a `oneOf` by `type`. */
export function contractJsonSchema(): JsonObject {
  return {
    $schema: DRAFT_2020_12,
    title: 'Webhook events of the Fleet and Driver Compliance Service',
    oneOf: eventKinds.map((kind) => envelopeSchema(kind, { $ref: `#/$defs/${payloadName(kind)}` })),
    $defs: payloadDefinitions('draft-2020-12'),
  };
}

/** AsyncAPI's own schema language extends draft 7. */
export type JsonSchemaDialect = 'draft-2020-12' | 'draft-7';

/** Returns the JSON Schema of every payload, by {@link payloadName}. */
export function payloadDefinitions(dialect: JsonSchemaDialect): JsonObject {
  return Object.fromEntries(eventKinds.map((kind) => [payloadName(kind), payloadSchema(kind, dialect)]));
}

/** Returns the definition name of a kind's payload, for example `Company`. Kinds can share one. */
export function payloadName(kind: EventKind): string {
  const title = catalogue[kind].schema.meta()?.title ?? kind;
  return title.replace(
    /[^A-Za-z]+(.)?/g,
    (_gap, initial: string | undefined) => initial?.toUpperCase() ?? '',
  );
}

/** Returns the JSON Schema of a kind's envelope `{type, data}`, given the schema of `data`. */
export function envelopeSchema(kind: EventKind, data: JsonObject): JsonObject {
  const { title, description } = catalogue[kind];
  return {
    title,
    description,
    type: 'object',
    properties: { type: { const: kind }, data },
    required: ['type', 'data'],
  };
}

/** Returns the JSON Schema of a kind's `data`, without `$schema`. */
export function payloadSchema(kind: EventKind, dialect: JsonSchemaDialect): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(catalogue[kind].schema, { target: dialect });
  return withNullableTypes(schema as JsonObject);
}

/**
 * Rewrites `anyOf: [{type: 'string', …}, {type: 'null'}]` as `type: ['string', 'null'], …` throughout a JSON
 * Schema, so that all keywords of a field are in one object.
 */
function withNullableTypes(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).map(([key, value]) => [key, rewrite(value)] as const);
  return mergeNull(Object.fromEntries(members));
}

function rewrite(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item) => rewrite(item as JsonValue));
  return isObject(value) ? withNullableTypes(value) : value;
}

function mergeNull(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [some, none] = anyOf as readonly JsonValue[];
  if (!isObject(some) || !isObject(none)) return schema;
  if (typeof some['type'] !== 'string' || none['type'] !== 'null') return schema;
  const values = some['enum'];
  return {
    ...some,
    ...(Array.isArray(values) && { enum: [...(values as readonly JsonValue[]), null] }),
    ...rest,
    type: [some['type'], 'null'],
  };
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
