/** Adds the fields of `defineKind` to the schema of the kind that it changes. */
import { z } from 'zod';
import { object } from '../../contract/field/schemas.ts';
import { innerSchema } from '../../contract/fields.ts';

/**
 * Returns the schema of a payload with the fields of a patch: objects are merged, at any depth, and anything else
 * is replaced. The result keeps the metadata of `base`, and accepts unknown fields as it does.
 */
export function mergeSchemas(base: z.ZodObject, patch: z.ZodObject): z.ZodObject {
  const shape: Record<string, z.core.$ZodType> = { ...base.shape };
  for (const [name, field] of Object.entries<z.core.$ZodType>(patch.shape)) {
    // `constructor` is no field of the base, although every object has one.
    const known = Object.hasOwn(shape, name) ? shape[name] : undefined;
    shape[name] = known === undefined ? field : mergeFields(known, field);
  }
  return object(shape).meta({ ...base.meta() });
}

function mergeFields(base: z.core.$ZodType, patch: z.core.$ZodType): z.core.$ZodType {
  const [below, above] = [innerSchema(base), innerSchema(patch)];
  if (!(below instanceof z.ZodObject) || !(above instanceof z.ZodObject)) return described(patch, base);
  let merged: z.ZodType = mergeSchemas(below, above);
  // The layers of the patch decide whether the object may be null or absent.
  if (accepts(patch, null)) merged = merged.nullable();
  if (accepts(patch, undefined)) merged = merged.optional();
  return described(merged, base);
}

function accepts(schema: z.core.$ZodType, value: null | undefined): boolean {
  return z.safeParse(schema, value).success;
}

/** Keeps the description of a field that the patch does not describe. */
function described(schema: z.core.$ZodType, base: z.core.$ZodType): z.core.$ZodType {
  const [own, inherited] = [schema, base].map((one) => z.globalRegistry.get(one)?.description);
  if (own !== undefined || inherited === undefined || !(schema instanceof z.ZodType)) return schema;
  return schema.describe(inherited);
}
