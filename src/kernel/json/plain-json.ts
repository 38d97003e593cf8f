/** Takes JSON, and nothing else, from functions of other people. */
import { types } from 'node:util';
import type { JsonObject, JsonValue } from './json.ts';

/** A value that is not JSON. The message names what it is, and quotes nothing of it. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError';
}

/** A promise of anything, also when it is rejected later: nothing else waits for it. */
export function rejectPromise(value: unknown): void {
  if (!types.isPromise(value)) return;
  value.catch(() => undefined);
  throw new NotJsonError('returned a promise: return the value itself');
}

/** The values that one check visits, at most. Far more than a body of the greatest size holds. */
const MAX_VALUES = 1_000_000;

/**
 * Returns what a function built, if it is what JSON.parse could return: the same object, or a copy without
 * members that are undefined. Accepts Infinity, as JSON.parse does.
 *
 * @param levels of objects and arrays, at most; a cycle has more
 * @throws NotJsonError
 */
export function plainJson(value: unknown, levels: number): JsonValue {
  let visited = 0;
  return visit(value, levels);

  function visit(one: unknown, left: number): JsonValue {
    visited += 1;
    if (visited > MAX_VALUES) throw notJson(`more than ${String(MAX_VALUES)} values`);
    if (one === null || typeof one === 'string' || typeof one === 'boolean') return one;
    if (typeof one === 'number') {
      if (Number.isNaN(one)) throw notJson('NaN');
      return one;
    }
    if (typeof one !== 'object') throw notJson(`a ${typeof one}`);
    rejectPromise(one);
    if (types.isProxy(one)) throw notJson('a proxy');
    if (left === 0) throw new NotJsonError(`returned data nested deeper than ${String(levels)} levels`);
    return Array.isArray(one) ? list(one, left - 1) : object(one, left - 1);
  }

  function list(items: readonly unknown[], left: number): JsonValue {
    let isSame = true;
    const made: JsonValue[] = [];
    for (let at = 0; at < items.length; at += 1) {
      const item = ownValue(items, String(at));
      if (item === undefined) throw notJson('a list with undefined');
      const member = visit(item, left);
      isSame &&= member === item;
      made.push(member);
    }
    return isSame ? (items as readonly JsonValue[]) : made;
  }

  function object(holder: object, left: number): JsonValue {
    if (!isPlain(holder)) throw notJson('an object of a class');
    let isSame = true;
    const made: [string, JsonValue][] = [];
    for (const key of Object.keys(holder)) {
      const before = ownValue(holder, key);
      const member = before === undefined ? undefined : visit(before, left);
      isSame &&= member !== undefined && member === before;
      if (member !== undefined) made.push([key, member]);
    }
    // Object.fromEntries defines a member `__proto__` as an ordinary one.
    return isSame ? (holder as JsonObject) : Object.fromEntries(made);
  }
}

/** A getter could return something else the next time. */
function ownValue(holder: object, key: string): unknown {
  const descriptor = Object.getOwnPropertyDescriptor(holder, key);
  if (descriptor?.get !== undefined || descriptor?.set !== undefined) throw notJson('a getter');
  return descriptor?.value;
}

/** Also accepts objects of another realm, and those without a prototype. */
function isPlain(holder: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(holder);
  if (prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'hasOwnProperty');
}

function notJson(what: string): NotJsonError {
  return new NotJsonError(`returned ${what}: return JSON`);
}
