/** Finds where two JSON values differ. */
import { compareNumbers } from '../kernel/json/exact-number.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { isSentNumber, type SentNumber } from '../kernel/json/sent-numbers.ts';

export type Value = JsonValue | undefined;

/** The innermost path at which two values differ; undefined where one of them has no such member. */
export interface Difference {
  readonly path: readonly string[];
  readonly before: Value;
  readonly after: Value;
}

/** Values that are compared between two breaths. */
const BREATH = 2048;

/** An object or list of each side, and how much of them was compared. */
interface Level {
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Undefined for lists, whose members are numbered. */
  readonly names: readonly string[] | undefined;
  readonly size: number;
  next: number;
}

/**
 * Finds the innermost differences of two values one by one, in the order of the later one, then what it no longer
 * has. Descends only where both sides are objects or both are lists. Yields null now and then, so that the
 * caller can let others work.
 */
export function* differencesOf(before: Value, after: Value): Generator<Difference | null, void, undefined> {
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    if (differs(before, after)) yield { path: [], before, after };
    return;
  }
  const levels: Level[] = [levelOf(before, after)];
  for (let breath = BREATH; ; breath -= 1) {
    const level = levels.at(-1);
    if (level === undefined) return;
    if (breath === 0) {
      breath = BREATH;
      yield null;
    }
    if (level.next === level.size) {
      levels.pop();
      continue;
    }
    const name = nameAt(level, level.next);
    level.next += 1;
    const [from, to] = [own(level.before, name), own(level.after, name)];
    if (isContainer(from) && isContainer(to) && Array.isArray(from) === Array.isArray(to))
      levels.push(levelOf(from, to));
    else if (differs(from, to))
      yield { path: levels.map((each) => nameAt(each, each.next - 1)), before: from, after: to };
  }
}

function levelOf(before: JsonObject, after: JsonObject): Level {
  if (Array.isArray(before) && Array.isArray(after))
    return { before, after, names: undefined, size: Math.max(before.length, after.length), next: 0 };
  const names = Object.keys(after);
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) names.push(name);
  return { before, after, names, size: names.length, next: 0 };
}

function nameAt({ names }: Level, index: number): string {
  return names === undefined ? String(index) : (names[index] ?? '');
}

/** Whether two values differ of which at most one is an object or list of its kind. */
function differs(before: Value, after: Value): boolean {
  return isContainer(before) || isContainer(after) || !isSame(before, after);
}

function isSame(before: Value, after: Value): boolean {
  if (before === after) return true;
  if (!isNumber(before) || !isNumber(after)) return false;
  return compareNumbers(numberText(before), numberText(after)) === 0;
}

function isNumber(value: Value): value is number | SentNumber {
  return typeof value === 'number' || isSentNumber(value);
}

function numberText(value: number | SentNumber): string {
  return typeof value === 'number' ? String(value) : value.rawJSON;
}

export function own(value: JsonObject, name: string): Value {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isContainer(value: Value): value is JsonObject {
  return typeof value === 'object' && value !== null && !isSentNumber(value);
}
