/** Reads field by field what a schema declares. */
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
  /** The declared fields of an object, or of each object of a list; empty for any other value. */
  readonly fields: Fields;
}

/** Fields by name, in the contract's order. */
export type Fields = ReadonlyMap<string, Field>;

const cache = new WeakMap<z.core.$ZodType, Fields>();
const none: Fields = new Map();

/** Returns the fields that an object schema declares; none for any other schema. Cached by schema. */
export function fieldsOf(schema: z.core.$ZodType): Fields {
  if (!(schema instanceof z.ZodObject)) return none;
  let fields = cache.get(schema);
  if (fields === undefined) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    fields = new Map(Object.entries(shape).map(([name, value]) => [name, field(name, value)]));
    cache.set(schema, fields);
  }
  return fields;
}

/** Removes the layers around a schema: optional, nullable, default, read-only and the like. */
export function innerSchema(layered: z.core.$ZodType): z.core.$ZodType {
  let schema = layered;
  for (let inner = unwrapped(schema); inner !== undefined; inner = unwrapped(schema)) schema = inner;
  return schema;
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = schema._zod.def as { readonly innerType?: z.core.$ZodType; readonly in?: z.core.$ZodType };
  // What was sent is the input of a pipe.
  return schema instanceof z.ZodPipe ? def.in : def.innerType;
}

function field(name: string, layered: z.core.$ZodType): Field {
  let schema = layered;
  const metadata = { ...z.globalRegistry.get(schema) };
  let nullable = false;
  for (let inner = unwrapped(schema); inner !== undefined; inner = unwrapped(schema)) {
    if (schema instanceof z.ZodNullable) nullable = true;
    schema = inner;
    // Any layer can have metadata.
    Object.assign(metadata, z.globalRegistry.get(schema));
  }
  const element = schema instanceof z.ZodArray ? innerSchema(schema.element) : schema;
  return {
    name,
    schema: schema as z.ZodType,
    required: layered._zod.optin === undefined,
    nullable,
    personal: metadata[PERSONAL_DATA] === true,
    checkDigits: (metadata[CHECK_DIGITS] as Field['checkDigits'] | undefined) ?? null,
    // Read late: a schema may contain itself.
    get fields() {
      return fieldsOf(element);
    },
  };
}
