import { issuePath } from '../contract/find-issues.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';

/**
 * Where JSON holds a number that no double can, such as 1e400: it is read as Infinity, and so is any other,
 * however many digits tell them apart. Undefined where it holds none. Depth is bounded before.
 */
export function findOverflow(data: JsonValue): string | undefined {
  return fitsDoubles(data) ? undefined : pathTo(data, []);
}

/** Asked of every webhook, so without a path. */
function fitsDoubles(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(fitsDoubles);
  const object = value as JsonObject;
  for (const key in object) if (!fitsDoubles(object[key] as JsonValue)) return false;
  return true;
}

function pathTo(value: JsonValue, path: readonly PropertyKey[]): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : issuePath(path, 'data');
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = pathTo(member, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
