import { z } from 'zod';

/** What the contract says of one value: its schema and its JSON Schema keywords. */
export interface FieldNotes {
  /** Without the layers that let it be absent or null. */
  readonly schema: z.ZodType;
  readonly required: boolean;
  readonly nullable: boolean;
  /** Keywords and marks such as `description`, `x-personal-data`. */
  readonly marks: Readonly<Record<string, unknown>>;
}

/** Reads a field's notes from its schema, whatever layer they were put on. */
export function fieldNotes(field: z.core.$ZodType): FieldNotes {
  let schema = field;
  let required = true;
  let nullable = false;
  let marks: Record<string, unknown> = { ...z.globalRegistry.get(field) };
  for (;;) {
    if (schema instanceof z.ZodOptional) required = false;
    else if (schema instanceof z.ZodNullable) nullable = true;
    else break;
    schema = schema.unwrap();
    marks = { ...z.globalRegistry.get(schema), ...marks };
  }
  return { schema: schema as z.ZodType, required, nullable, marks };
}

/** The declared fields of an object's schema; none for any other schema. */
export function fieldsOf(schema: z.core.$ZodType): Readonly<Record<string, z.core.$ZodType>> {
  return schema instanceof z.ZodObject ? (schema.shape as Record<string, z.core.$ZodType>) : {};
}
