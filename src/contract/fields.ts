import { z } from 'zod';
import { PERSONAL_DATA } from './field/personal.ts';
import { CHECK_DIGITS } from './field/tax-id.ts';

/** What the contract says of one field. */
export interface Field {
  readonly name: string;
  /** Of the value, without the layers that let it be absent or null. */
  readonly schema: z.ZodType;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly personal: boolean;
  readonly checkDigits: 'cnpj' | 'cpf' | null;
  /** The fields within, when the value is an object that declares some. */
  readonly fields: Fields;
}

/** By name, in the contract's order. */
export type Fields = ReadonlyMap<string, Field>;

const known = new WeakMap<z.core.$ZodType, Fields>();

/** The fields that an object's schema declares; none for any other schema. Worked out once per schema. */
export function fieldsOf(schema: z.core.$ZodType): Fields {
  if (!(schema instanceof z.ZodObject)) return new Map();
  let fields = known.get(schema);
  if (fields === undefined) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    fields = new Map(Object.entries(shape).map(([name, value]) => [name, field(name, value)]));
    known.set(schema, fields);
  }
  return fields;
}

function field(name: string, layered: z.core.$ZodType): Field {
  let schema = layered;
  const marks = { ...z.globalRegistry.get(schema) };
  let required = true;
  let nullable = false;
  for (;;) {
    if (schema instanceof z.ZodOptional) required = false;
    else if (schema instanceof z.ZodNullable) nullable = true;
    else break;
    schema = schema.unwrap();
    // A mark may sit on any layer.
    Object.assign(marks, z.globalRegistry.get(schema));
  }
  return {
    name,
    schema: schema as z.ZodType,
    required,
    nullable,
    personal: marks[PERSONAL_DATA] === true,
    checkDigits: (marks[CHECK_DIGITS] as Field['checkDigits'] | undefined) ?? null,
    fields: fieldsOf(schema),
  };
}
