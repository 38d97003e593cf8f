import { z } from 'zod';
import { PERSONAL_DATA } from './field/schemas.ts';
import { CHECK_DIGITS } from './field/tax-id.ts';

/** The contract of one field. */
export interface Field {
  readonly name: string;
  /** The schema of the value, without the layers that make it optional or nullable. */
  readonly schema: z.ZodType;
  readonly required: boolean;
  readonly nullable: boolean;
  readonly personal: boolean;
  readonly checkDigits: 'cnpj' | 'cpf' | null;
  /** The declared fields of an object; empty for any other value. */
  readonly fields: Fields;
}

/** Fields by name, in the contract's order. */
export type Fields = ReadonlyMap<string, Field>;

const cache = new WeakMap<z.core.$ZodType, Fields>();

/** Returns the fields that an object schema declares; none for any other schema. Cached by schema. */
export function fieldsOf(schema: z.core.$ZodType): Fields {
  if (!(schema instanceof z.ZodObject)) return new Map();
  let fields = cache.get(schema);
  if (fields === undefined) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    fields = new Map(Object.entries(shape).map(([name, value]) => [name, field(name, value)]));
    cache.set(schema, fields);
  }
  return fields;
}

function field(name: string, layered: z.core.$ZodType): Field {
  let schema = layered;
  const metadata = { ...z.globalRegistry.get(schema) };
  let required = true;
  let nullable = false;
  for (;;) {
    if (schema instanceof z.ZodOptional) required = false;
    else if (schema instanceof z.ZodNullable) nullable = true;
    else break;
    schema = schema.unwrap();
    // Any layer can have metadata.
    Object.assign(metadata, z.globalRegistry.get(schema));
  }
  return {
    name,
    schema: schema as z.ZodType,
    required,
    nullable,
    personal: metadata[PERSONAL_DATA] === true,
    checkDigits: (metadata[CHECK_DIGITS] as Field['checkDigits'] | undefined) ?? null,
    fields: fieldsOf(schema),
  };
}
