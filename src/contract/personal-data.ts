/** Which fields are personal, and how they are masked. */
import { z } from 'zod';
import { setMember } from '../kernel/json/code-units.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../kernel/json/json.ts';
import { maskText } from '../kernel/text/scrub.ts';
import type { Field, Fields } from './fields.ts';

/** What an undeclared name must look like to be shown: an identifier, as developers write them. */
const IDENTIFIER = /^[A-Za-z_$][\w$-]{0,59}$/u;

/** An identifier that may hold a CPF, a CNPJ or another long number. Most names do not match. */
const LONG = /[0-9A-Z]{12}|\d[\d-]{8}/u;

/** Replaces a masked value. The same for all values, so not even their length shows. */
export const MASK = '***';

/** Lists the personal fields as dotted paths: `tax_id`, `company.tax_id`, `vars` (with everything in it). */
export function personalPathsOf(fields: Fields): readonly string[] {
  return pathsBelow(fields, '', new Set());
}

/** A schema may contain itself; its fields are listed once on each way down. */
function pathsBelow(fields: Fields, prefix: string, ancestors: ReadonlySet<Fields>): readonly string[] {
  if (ancestors.has(fields)) return [];
  const within = new Set(ancestors).add(fields);
  return [...fields.values()].flatMap((field) => {
    const path = `${prefix}${field.name}`;
    return field.personal ? [path] : pathsBelow(field.fields, `${path}.`, within);
  });
}

/** Whether a dotted path names a personal field, or something in one. */
export function isPersonalPath(path: string, personalPaths: readonly string[]): boolean {
  return personalPaths.some((personal) => path === personal || path.startsWith(`${personal}.`));
}

/** Marks more fields as personal, by their dotted paths. A path that is not declared is ignored. */
export function withPersonal(fields: Fields, paths: readonly string[]): Fields {
  if (paths.length === 0) return fields;
  return new Map(
    [...fields].map(([name, field]) => {
      const below = paths
        .filter((path) => path.startsWith(`${name}.`))
        .map((path) => path.slice(name.length + 1));
      const personal = field.personal || paths.includes(name);
      return [name, { ...field, personal, fields: withPersonal(field.fields, below) } satisfies Field];
    }),
  );
}

/**
 * Masks the personal data in a payload.
 *
 * Fails safe: a value shows only if its field is declared, is not marked as personal, and the value matches the
 * field. In everything else all strings and numbers are masked: undeclared fields, values of the wrong type, and
 * lists or objects whose content is not declared. Names that are not declared show if they are identifiers; the
 * others become `***`, `***2`, … `true`, `false` and `null` always show.
 */
export function maskFields(fields: Fields, data: JsonValue): JsonValue {
  if (!isJsonObject(data)) return maskAll(data);
  return maskMembers(
    data,
    (name) => fields.has(name),
    (name, member) => {
      const field = fields.get(name);
      return field === undefined || field.personal ? maskAll(member) : maskField(field, member);
    },
  );
}

function maskField(field: Field, member: JsonValue): JsonValue {
  if (field.fields.size > 0) {
    if (!(field.schema instanceof z.ZodArray)) return maskFields(field.fields, member);
    return Array.isArray(member)
      ? member.map((item) => maskFields(field.fields, item as JsonValue))
      : maskAll(member);
  }
  if (isJsonObject(member) || (Array.isArray(member) && !hasPlainItems(field.schema))) return maskAll(member);
  return accepts(field.schema, member) ? member : maskAll(member);
}

/** Whether a list is declared to hold plain values. */
function hasPlainItems(schema: z.ZodType): boolean {
  return schema instanceof z.ZodArray && isPlain(schema.element);
}

function isPlain(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) return isPlain(schema.unwrap());
  return [z.ZodString, z.ZodNumber, z.ZodBoolean, z.ZodEnum, z.ZodLiteral].some(
    (type) => schema instanceof type,
  );
}

/** A custom kind's schema may throw, or be asynchronous. */
function accepts(schema: z.ZodType, value: JsonValue): boolean {
  try {
    return schema.safeParse(value).success;
  } catch {
    return false;
  }
}

/** Masks all strings and numbers, and names that are no identifiers, as for unrecognized kinds. */
export function maskAll(value: JsonValue): JsonValue {
  if (typeof value === 'string' || typeof value === 'number') return MASK;
  if (Array.isArray(value)) return value.map((item) => maskAll(item as JsonValue));
  return isJsonObject(value)
    ? maskMembers(
        value,
        () => false,
        (_name, member) => maskAll(member),
      )
    : value;
}

function maskMembers(
  object: JsonObject,
  isDeclared: (name: string) => boolean,
  mask: (name: string, member: JsonValue) => JsonValue,
): JsonObject {
  const masked: Record<string, JsonValue> = {};
  let hidden = 0;
  for (const name of Object.keys(object)) {
    const isShown = isDeclared(name) || isShownName(name);
    if (!isShown) hidden += 1;
    const shown = isShown ? name : `${MASK}${hidden === 1 ? '' : String(hidden)}`;
    setMember(masked, shown, mask(name, object[name] ?? null));
  }
  return masked;
}

/** A path of an issue, with the names masked that a masked body does not show. A long one is cut, also within a name. */
export function maskPath(path: string): string {
  return path
    .replaceAll(/\["(?:[^"\\]|\\.)*(?:"\]|$)/gu, `["${MASK}"]`)
    .replaceAll(/(?<=^|\.)[^.[\]*"]+/gu, (name) =>
      isShownName(name) || /^\d{1,7}$/u.test(name) ? name : MASK,
    );
}

/** Whether the name of an undeclared member is shown while masked: senders may use names of people as names. */
export function isShownName(name: string): boolean {
  return IDENTIFIER.test(name) && (!LONG.test(name) || maskText(name) === name);
}
