import type { JsonValue } from '../../kernel/json/json.ts';

/**
 * A copy of `value` as it will be once it was stored as JSON and read again.
 * Properties that are undefined are left out, as JSON does; whatever else JSON
 * would change without a word is refused.
 *
 * @param where names the value in errors.
 * @throws TypeError naming the part that is not JSON.
 */
export function toJson(value: unknown, where: string): JsonValue {
  return copy(value, where, new Set());
}

function copy(value: unknown, where: string, above: ReadonlySet<object>): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (typeof value !== 'object') {
    const found = typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`;
    throw new TypeError(`${where} must be JSON, but is ${found}`);
  }
  if (above.has(value)) throw new TypeError(`${where} must be JSON, but contains itself`);
  const within = new Set(above).add(value);
  if (Array.isArray(value)) {
    // Not map(): that would skip holes, which JSON turns into nulls.
    return Array.from(value, (item, at) => copy(item, `${where}[${String(at)}]`, within));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // By the tag, not by identity: a handlers file may have been evaluated in another realm.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const name = (value.constructor as { name?: string } | undefined)?.name ?? 'class';
    throw new TypeError(`${where} must be JSON, but is a ${name}`);
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, copy(member, `${where}.${key}`, within)]),
  );
}
