/** The contract as JSON Schema. */
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import { providerEnvelope, type Contract, type Envelope } from './contract.ts';
import type { KindContract } from './kind-contract.ts';

const DRAFT_2020_12 = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Returns the JSON Schema (draft 2020-12) of one kind's webhook body.
 *
 * It has three keywords of its own: `x-personal-data`, `x-check-digits` and `x-known-values`. JSON Schema cannot check that the day
 * of a timestamp exists, so it accepts slightly more than the contract.
 */
export function kindJsonSchema(kind: KindContract, envelope: Envelope = providerEnvelope): JsonObject {
  return { $schema: DRAFT_2020_12, ...envelopeSchema(kind, payloadSchema(kind, 'draft-2020-12'), envelope) };
}

/** Returns one JSON Schema (draft 2020-12) of the webhook bodies of all kinds: a `oneOf` by `type`. */
export function contractJsonSchema(contract: Contract): JsonObject {
  return {
    $schema: DRAFT_2020_12,
    title: 'Webhook events of the Fleet and Driver Compliance Service',
    oneOf: contract.kinds.map((kind) =>
      envelopeSchema(kind, { $ref: `#/$defs/${payloadName(kind)}` }, envelopeOf(contract, kind)),
    ),
    $defs: payloadDefinitions(contract, 'draft-2020-12'),
  };
}

/** Returns the envelope that a kind comes in. */
export function envelopeOf(contract: Contract, { source }: KindContract): Envelope {
  return source === null ? providerEnvelope : contract.envelopeOf(source);
}

/** AsyncAPI's own schema language extends draft 7. */
export type JsonSchemaDialect = 'draft-2020-12' | 'draft-7';

/** Returns the JSON Schema of every payload, by {@link payloadName}. */
export function payloadDefinitions({ kinds }: Contract, dialect: JsonSchemaDialect): JsonObject {
  return Object.fromEntries(kinds.map((kind) => [payloadName(kind), payloadSchema(kind, dialect)]));
}

/**
 * Returns the definition name of a kind's payload, for example `Company`. Kinds of the specification can share
 * one; a custom kind has its own, with its source when a custom source sends it.
 */
export function payloadName({ kind, source, schema, definitions }: KindContract): string {
  const shared = definitions.length === 0 ? schema?.meta()?.title : undefined;
  const title = shared ?? (source === null ? kind : `${source}.${kind}`);
  return title
    .replace(/[^A-Za-z0-9]+(.)?/g, (_gap, initial: string | undefined) => initial?.toUpperCase() ?? '')
    .replace(/^[a-z]/, (initial) => (shared === undefined ? initial.toUpperCase() : initial));
}

/** Returns the JSON Schema of a kind's body, given the schema of its payload. */
export function envelopeSchema(
  { kind, title, description }: KindContract,
  data: JsonObject,
  { typePath, dataPath }: Envelope = providerEnvelope,
): JsonObject {
  if (dataPath === null) return { title, description, type: 'object' };
  const whole = dataPath.length === 0 ? data : at(dataPath, data);
  const type = typePath === null ? null : at(typePath, { const: kind });
  if (type === null) return { title, description, ...whole };
  if (dataPath.length === 0) return { title, description, allOf: [data, type] };
  return { title, description, ...merged(type, whole) };
}

/** The schema of an object with a member at a path. */
function at([step, ...rest]: readonly string[], schema: JsonObject): JsonObject {
  if (step === undefined) return schema;
  return { type: 'object', properties: { [step]: at(rest, schema) }, required: [step] };
}

/** Joins two schemas that `at` made. */
function merged(one: JsonObject, other: JsonObject): JsonObject {
  const [first, second] = [one, other].map(({ properties }) => (properties ?? {}) as JsonObject);
  if (first === undefined || second === undefined) return one;
  const properties: Record<string, JsonValue> = { ...first };
  for (const [name, schema] of Object.entries(second)) {
    const known = properties[name];
    properties[name] = isJsonObject(known) && isJsonObject(schema) ? merged(known, schema) : schema;
  }
  return { type: 'object', properties, required: Object.keys(properties) };
}

/** Returns the JSON Schema of a kind's `data`, without `$schema`; any object when it has no zod schema. */
export function payloadSchema({ schema }: KindContract, dialect: JsonSchemaDialect): JsonObject {
  if (schema === null) return { type: 'object' };
  const options = { target: dialect, io: 'input', unrepresentable: 'any' } as const;
  const { $schema: _dialect, ...made } = z.toJSONSchema(schema, options);
  return withNullableTypes(made as JsonObject);
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
  return isJsonObject(value) ? withNullableTypes(value) : value;
}

function mergeNull(schema: JsonObject): JsonObject {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [some, none] = anyOf as readonly JsonValue[];
  if (!isJsonObject(some) || !isJsonObject(none)) return schema;
  if (typeof some['type'] !== 'string' || none['type'] !== 'null') return schema;
  const values = some['enum'];
  return {
    ...some,
    ...(Array.isArray(values) && { enum: [...(values as readonly JsonValue[]), null] }),
    ...rest,
    type: [some['type'], 'null'],
  };
}
