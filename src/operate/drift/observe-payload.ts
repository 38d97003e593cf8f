/** Finds where a payload differs from the contract. */
import { z } from 'zod';
import { knownValuesOf } from '../../contract/field/known-values.ts';
import { innerSchema } from '../../contract/fields.ts';
import { isShownName, MASK } from '../../contract/personal-data.ts';
import { isJsonObject, ownMember, type JsonValue } from '../../kernel/json/json.ts';

/** How a payload differs from the contract at one path. */
export type Difference =
  /** The contract does not declare the field. */
  | 'undeclared'
  /** An enumeration does not list the value. */
  | 'unlisted'
  /** The value has another JSON type, or is absent though required. */
  | 'other-type'
  /** The value has the right type and does not match its field, for example a day that does not exist. */
  | 'invalid';

export interface FieldDifference {
  /** Names within `data`, without positions in lists: `sne.status`, `branches[].city`. */
  readonly path: string;
  readonly difference: Difference;
  /** The JSON type that came; `absent` for a missing required field. */
  readonly type: string;
  /** The value of an unlisted one; null for every other difference. */
  readonly value: string | null;
  /** The declared schema; undefined for an undeclared field. */
  readonly schema: z.core.$ZodType | undefined;
}

/** Reports every difference of a payload, and the path of every declared field that came. */
export interface PayloadObserver {
  differs(found: FieldDifference): void;
  came(path: string): void;
}

/** Compares a payload with the schema of its kind. */
export function observePayload(schema: z.ZodObject, data: JsonValue, observer: PayloadObserver): void {
  visitObject(schema, data, '', observer);
}

function visitObject(schema: z.ZodObject, data: JsonValue, prefix: string, observer: PayloadObserver): void {
  if (!isJsonObject(data)) return;
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  for (const [name, field] of Object.entries(shape))
    visitField(field, ownMember(data, name), `${prefix}${name}`, observer);
  // An object without declared fields is declared to hold anything.
  if (Object.keys(shape).length === 0) return;
  for (const [name, value] of Object.entries(data))
    if (!Object.hasOwn(shape, name))
      observer.differs({
        path: `${prefix}${stepOf(name)}`,
        difference: 'undeclared',
        type: jsonType(value),
        value: null,
        schema: undefined,
      });
}

function visitField(
  layered: z.core.$ZodType,
  value: JsonValue | undefined,
  path: string,
  observer: PayloadObserver,
): void {
  const report = (difference: Difference, shown: string | null = null): void => {
    observer.differs({ path, difference, type: jsonType(value), value: shown, schema: layered });
  };
  if (value !== undefined) observer.came(path);
  if (value === undefined || value === null) {
    if (!z.safeParse(layered, value).success) report('other-type');
    return;
  }
  const schema = innerSchema(layered);
  const expected = expectedType(schema);
  if (expected !== undefined && jsonType(value) !== expected) report('other-type');
  else if (schema instanceof z.ZodObject) visitObject(schema, value, `${path}.`, observer);
  else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const element = innerSchema(schema.element);
    for (const item of value as readonly JsonValue[])
      if (element instanceof z.ZodObject) visitObject(element, item, `${path}[].`, observer);
      else if (!z.safeParse(element, item).success) report('invalid');
  } else {
    const known = knownValuesOf(schema);
    if (known !== undefined && typeof value === 'string' && value !== '') {
      if (!known.has(value)) report('unlisted', value);
    } else if (!z.safeParse(schema, value).success) report('invalid');
  }
}

/** The JSON type of what a schema accepts; undefined when it may be several. */
export function expectedType(schema: z.core.$ZodType): string | undefined {
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return 'string';
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return 'object';
  return schema instanceof z.ZodArray ? 'array' : undefined;
}

export function jsonType(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Writes an undeclared name as a step of a path; `***` for one that is no identifier, or may be personal. */
export function stepOf(name: string): string {
  return isShownName(name) && name !== '__proto__' ? name : MASK;
}

/**
 * Whether every step of a path is a name that a definition can declare. zod takes a name that every object has,
 * such as `constructor`, for present.
 */
export function isDeclarable(path: string): boolean {
  return path
    .split('.')
    .every((step) => step !== MASK && !step.endsWith('[]') && !(step in Object.prototype));
}
