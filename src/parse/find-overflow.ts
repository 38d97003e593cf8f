/** Finds numbers that JSON allows and JavaScript cannot hold. */
import { issuePath } from '../contract/find-issues.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';

/**
 * Finds the first number that no double can hold, for example 1e400, and returns its path; undefined when there
 * is none. JSON.parse reads every such number as Infinity. Recursive: the parser bounds the depth.
 */
export function findOverflow(data: JsonValue): string | undefined {
  return isAllFinite(data) ? undefined : pathTo(data, []);
}

/** Runs for every webhook, so it tracks no path. */
function isAllFinite(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isAllFinite);
  const object = value as JsonObject;
  for (const key in object) if (!isAllFinite(object[key] as JsonValue)) return false;
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
