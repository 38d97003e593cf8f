import type { z } from 'zod';

/** The JSON Schema keyword that marks personal data. */
export const PERSONAL_DATA = 'x-personal-data';

/**
 * Marks a field as personal data (or as good as: payment codes, access links,
 * tokens, whereabouts). What is marked is masked wherever people or logs could
 * see it, see `maskPersonalData`.
 */
export function personal<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ [PERSONAL_DATA]: true });
}
