/** Turns the states and changes of machines into what JSON keeps of them. */
import type { JsonValue } from '../../kernel/json/json.ts';

/**
 * Returns a copy of `value` equal to what storing it as JSON and reading it
 * would give. As in JSON, undefined properties are dropped. Any other value
 * that JSON would change silently is an error.
 *
 * @param where the name of the value in error messages
 * @throws TypeError naming the part that is not JSON.
 */
export function toJson(value: unknown, where: string): JsonValue {
  return copy(value, where, new Set());
}

function copy(value: unknown, where: string, ancestors: ReadonlySet<object>): JsonValue {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value === 0 ? 0 : value;
  if (typeof value !== 'object') {
    const found = typeof value === 'number' || value === undefined ? String(value) : `a ${typeof value}`;
    throw new TypeError(`${where} must be JSON, but is ${found}`);
  }
  if (ancestors.has(value)) throw new TypeError(`${where} must be JSON, but contains itself`);
  const inner = new Set(ancestors).add(value);
  if (Array.isArray(value)) {
    // Not map(), which would skip holes: JSON turns them into nulls.
    return Array.from(value, (item, index) => copy(item, `${where}[${String(index)}]`, inner));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  // Not compared with Object.prototype: a handlers file may have been evaluated in another realm.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    const name = (value.constructor as { name?: string } | undefined)?.name ?? 'class';
    throw new TypeError(`${where} must be JSON, but is a ${name}`);
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([key, member]) => [key, copy(member, `${where}.${key}`, inner)]),
  );
}
