import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { catalogue, isEventKind } from './catalogue.ts';
import { fieldsOf, type Fields } from './fields.ts';

/** Stands where a value was. The same for every value, so that nothing of it shows, not even its length. */
export const MASK = '***';

/**
 * Where the payloads of a kind hold personal data, as dotted paths within
 * `data`: `tax_id`, `company.tax_id`, `vars` (with all it holds). Empty for an
 * unrecognized kind, of which nothing is known: treat all of it as personal.
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
 * The payload as people may see it who have not asked for more.
 *
 * Fails safe: a value is shown only if the contract declares it, does not mark
 * it as personal, and it is what the contract says it is. Everything else, an
 * undeclared field, a text where a number belongs, the whole payload of an
 * unrecognized kind, has its strings and numbers masked. Names of fields,
 * `true`, `false` and `null` always show.
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
