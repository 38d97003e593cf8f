import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { catalogue, isEventKind } from './catalogue.ts';
import { fieldsOf, type Fields } from './fields.ts';

/** Replaces a masked value. The same for all values, so not even their length shows. */
export const MASK = '***';

/**
 * Lists the personal data in payloads of a kind, as dotted paths within `data`: `tax_id`, `company.tax_id`,
 * `vars` (with everything in it). Empty for an unrecognized kind: treat its whole payload as personal.
 */
export function personalDataPaths(kind: string): readonly string[] {
  return isEventKind(kind) ? personalPathsOf(fieldsOf(catalogue[kind].schema), '') : [];
}

function personalPathsOf(fields: Fields, prefix: string): readonly string[] {
  return [...fields.values()].flatMap((field) => {
    const path = `${prefix}${field.name}`;
    return field.personal ? [path] : personalPathsOf(field.fields, `${path}.`);
  });
}

/**
 * Masks the personal data in a payload.
 *
 * Fails safe: a value shows only if the contract declares its field, does not mark the field as personal, and
 * the value matches the field. In everything else all strings and numbers are masked: undeclared fields, values
 * of the wrong type, the payload of an unrecognized kind. Field names, `true`, `false` and `null` always show.
 */
export function maskPersonalData(kind: string, data: JsonValue): JsonValue {
  if (!isEventKind(kind) || !isObject(data)) return maskAll(data);
  return maskFields(fieldsOf(catalogue[kind].schema), data);
}

function maskFields(fields: Fields, object: JsonObject): JsonObject {
  return mapMembers(object, (name, member) => {
    const field = fields.get(name);
    if (field === undefined || field.personal) return maskAll(member);
    if (field.fields.size > 0) return isObject(member) ? maskFields(field.fields, member) : maskAll(member);
    return field.schema.safeParse(member).success ? member : maskAll(member);
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
