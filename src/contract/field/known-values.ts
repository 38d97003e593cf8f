/** Finds which values of an enumeration the contract lists. */
import { z } from 'zod';
import { KNOWN_VALUES } from './schemas.ts';

/**
 * Returns the known values of an enumeration that may grow; undefined for any other schema. The layers that make
 * a field optional or nullable inherit no metadata, so unwrap them first.
 */
export function knownValuesOf(schema: z.core.$ZodType): ReadonlySet<string> | undefined {
  if (!(schema instanceof z.ZodString)) return undefined;
  const values = z.globalRegistry.get(schema)?.[KNOWN_VALUES];
  return Array.isArray(values) ? new Set(values as readonly string[]) : undefined;
}
