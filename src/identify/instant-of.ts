import { normalizeInstant } from '../contract/instant.ts';
import type { JsonObject } from '../kernel/json/json.ts';

/** The instant a field holds, spelled so that text order is time order; null when it holds none. */
export function instantOf(data: JsonObject, field: string): string | null {
  const value = data[field];
  return typeof value === 'string' ? normalizeInstant(value) : null;
}
