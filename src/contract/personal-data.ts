import type { z } from 'zod';
import type { JsonObject, JsonValue } from '../kernel/json.ts';
import { catalogue, isEventKind } from './catalogue.ts';
import { fieldNotes, fieldsOf } from './field-notes.ts';
import { PERSONAL_DATA } from './field/personal.ts';

/** Stands where a value was. The same for every value, so that nothing of it shows, not even its length. */
export const MASK = '***';

/**
 * Where the payloads of a kind hold personal data, as dotted paths within
 * `data`: `tax_id`, `company.tax_id`, `vars` (with all it holds). Empty for an
 * unrecognized kind, of which nothing is known: treat all of it as personal.
 */
export function personalDataPaths(kind: string): readonly string[] {
  return isEventKind(kind) ? personalPathsOf(catalogue[kind].schema, '') : [];
}

function personalPathsOf(schema: z.core.$ZodType, prefix: string): readonly string[] {
  return Object.entries(fieldsOf(schema)).flatMap(([name, field]) => {
    const notes = fieldNotes(field);
    const path = `${prefix}${name}`;
    return notes.marks[PERSONAL_DATA] === true ? [path] : personalPathsOf(notes.schema, `${path}.`);
  });
}

/**
 * The payload as people may see it who have not asked for more.
 *
 * Fails safe: a value is shown only if the contract declares it, does not mark
 * it as personal, and it is what the contract says it is. Everything else, an
 * undeclared field, a text where a number belongs, the whole payload of an
 * unrecognized kind, has its strings and numbers masked. Names of fields,
 * `true`, `false` and `null` always show.
 */
export function maskPersonalData(kind: string, data: JsonValue): JsonValue {
  return isEventKind(kind) ? maskBySchema(catalogue[kind].schema, data) : maskAll(data);
}

function maskBySchema(schema: z.ZodType, value: JsonValue): JsonValue {
  const fields = fieldsOf(schema);
  if (Object.keys(fields).length === 0) return schema.safeParse(value).success ? value : maskAll(value);
  if (!isObject(value)) return maskAll(value);
  return mapMembers(value, (name, member) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) return maskAll(member);
    const notes = fieldNotes(field);
    return notes.marks[PERSONAL_DATA] === true ? maskAll(member) : maskBySchema(notes.schema, member);
  });
}

function maskAll(value: JsonValue): JsonValue {
  if (typeof value === 'string' || typeof value === 'number') return MASK;
  if (Array.isArray(value)) return value.map((item) => maskAll(item as JsonValue));
  return isObject(value) ? mapMembers(value, (_name, member) => maskAll(member)) : value;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapMembers(object: JsonObject, map: (name: string, member: JsonValue) => JsonValue): JsonObject {
  // fromEntries defines own properties, so a member named `__proto__` stays a member.
  return Object.fromEntries(Object.entries(object).map(([name, member]) => [name, map(name, member)]));
}
