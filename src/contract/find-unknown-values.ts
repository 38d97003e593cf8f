/** Finds values that enumerations of the contract do not list. */
import { z } from 'zod';
import { knownValuesOf } from './field/known-values.ts';
import { expectedValue } from './field/expected.ts';
import { amongText } from './field/schemas.ts';
import { innerSchema } from './fields.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A value that an enumeration does not list. */
export interface ListedValue {
  readonly path: readonly PropertyKey[];
  readonly value: string;
  readonly known: ReadonlySet<string>;
}

/** Finds the first `max` values of a valid payload that its enumerations do not list, in the contract's order. */
export function findUnknownValues(
  schema: z.core.$ZodType,
  value: unknown,
  max: number,
): readonly ListedValue[] {
  const found: ListedValue[] = [];
  visit(schema, value, []);
  return found;

  function visit(layered: z.core.$ZodType, value: unknown, path: readonly PropertyKey[]): void {
    if (value === undefined || value === null || found.length >= max) return;
    const schema = innerSchema(layered);
    const known = knownValuesOf(schema);
    if (known !== undefined) {
      if (typeof value === 'string' && !known.has(value)) found.push({ path, value, known });
    } else if (schema instanceof z.ZodArray && Array.isArray(value))
      for (const [index, item] of value.entries()) visit(schema.element, item, [...path, index]);
    else if (typeof value !== 'object' || Array.isArray(value)) return;
    else if (schema instanceof z.ZodObject)
      for (const [name, field] of Object.entries<z.core.$ZodType>(schema.shape))
        visit(field, Object.hasOwn(value, name) ? (value as Fields)[name] : undefined, [...path, name]);
    else if (schema instanceof z.ZodRecord)
      for (const [key, member] of Object.entries(value)) visit(schema.valueType, member, [...path, key]);
  }
}

/** Says which values are listed and which came, for example `expected one of "a", "b", received "c"`. */
export function unknownValueText({
  value,
  known,
}: {
  /** Null where the field is personal. */
  readonly value: string | null;
  readonly known: Iterable<string>;
}): string {
  const what = amongText([...known]);
  return value === null ? `expected ${what}, received another string` : expectedValue(what)({ input: value });
}
