/** Makes a payload that a kind accepts, for samples and tests. */
import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import { payloadSchema } from './json-schema.ts';
import type { KindContract } from './kind-contract.ts';

/**
 * Returns a payload of a kind: its example; the shipped sample, with what a changed schema requires; or one made
 * from its schema with every declared field. Null when no payload that matches can be made, for example of a
 * schema that is not zod's, or has checks of its own.
 */
export function samplePayload(kind: KindContract, shipped?: JsonObject): JsonObject | null {
  if (kind.example !== null) return kind.example;
  if (shipped !== undefined && kind.isValid(shipped)) return shipped;
  const made = kind.schema === null ? undefined : sampleOf(payloadSchema(kind, 'draft-2020-12'), 0);
  if (!isJsonObject(made)) return null;
  return [{ ...made, ...shipped }, made].find((data) => kind.isValid(data)) ?? null;
}

/** Levels of a schema that contains itself. */
const MAX_DEPTH = 6;

/** Invented values of string formats. */
const formats: Readonly<Record<string, string>> = {
  date: '2026-11-09',
  'date-time': '2026-11-09T12:00:00Z',
  time: '12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '0b0a7a4e-6f0e-4f33-8a2a-1c0d6f0f2b11',
  ipv4: '192.0.2.1',
};

function sampleOf(schema: JsonObject, depth: number): JsonValue | undefined {
  const { const: only, enum: values, default: usual, examples, anyOf, oneOf } = schema;
  if (only !== undefined) return only;
  if (usual !== undefined) return usual;
  for (const list of [values, examples]) if (Array.isArray(list)) return list[0] as JsonValue;
  for (const choices of [anyOf, oneOf])
    if (Array.isArray(choices)) return sampleOf(choices[0] as JsonObject, depth);
  const type = Array.isArray(schema['type']) ? (schema['type'] as readonly string[])[0] : schema['type'];
  switch (type) {
    case 'object':
      return depth < MAX_DEPTH ? sampleObject(schema, depth) : {};
    case 'array':
      return sampleList(schema, depth);
    case 'string':
      return sampleString(schema);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return 'text';
  }
}

function sampleObject({ properties = {}, required = [] }: JsonObject, depth: number): JsonObject {
  const names = required as readonly string[];
  const members = Object.entries(properties as JsonObject).flatMap(([name, schema]) => {
    // Optional fields end a schema that contains itself.
    if (depth >= MAX_DEPTH - 1 && !names.includes(name)) return [];
    const value = sampleOf(schema as JsonObject, depth + 1);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(members);
}

function sampleList({ items, minItems = 0 }: JsonObject, depth: number): readonly JsonValue[] {
  if (!isJsonObject(items) || depth >= MAX_DEPTH) return [];
  const item = sampleOf(items, depth + 1) ?? null;
  return Array.from({ length: Math.max(1, Number(minItems)) }, () => item);
}

/** Values that many patterns accept: instants, days, tax ids, numbers in strings. */
const candidates = ['2026-11-09T12:00:00Z', '2026-11-09', '52998224725', '11222333000181', '1', 'a', 'A'];

function sampleString({ format, pattern, minLength = 0, maxLength = 1000 }: JsonObject): string {
  const named = typeof format === 'string' ? formats[format] : undefined;
  if (named !== undefined) return named;
  if (typeof pattern === 'string') {
    const expression = new RegExp(pattern, 'u');
    const match = candidates.find((candidate) => expression.test(candidate));
    if (match !== undefined) return match;
  }
  return 'text'.padEnd(Number(minLength), 't').slice(0, Number(maxLength));
}

function sampleNumber(schema: JsonObject): number {
  const { minimum, exclusiveMinimum, maximum, multipleOf } = schema;
  const least = typeof minimum === 'number' ? minimum : -Infinity;
  const above = typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : -Infinity;
  const most = typeof maximum === 'number' ? maximum : Infinity;
  const value = Math.min(Math.max(1, least, above), most);
  return typeof multipleOf === 'number' ? Math.ceil(value / multipleOf) * multipleOf : value;
}
