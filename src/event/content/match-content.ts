/** Whether a payload matches a search, as masked as its view. */
import { compareNumbers, isJsonNumber } from '../../kernel/json/exact-number.ts';
import type { JsonObject, JsonValue } from '../../kernel/json/json.ts';
import { isSentNumber, type SentNumber } from '../../kernel/json/sent-numbers.ts';
import type { ContentCondition, ContentQuery } from './content-query.ts';

/**
 * The fields of a payload that show while personal data is masked: `true` for a value or a list of values, and
 * the fields of an object or of each object of a list. Plain data, which threads can exchange.
 */
export type ShownFields = true | { readonly [name: string]: ShownFields };

export interface MatchOptions {
  /** The fields that are searched. `all` includes personal ones. Default: all. */
  readonly fields?: ShownFields | 'all' | undefined;
  /** A text that stands for hidden values: it matches nothing. */
  readonly mask?: string;
  /**
   * Whether numbers may have been rounded by parsing: the answer then includes every payload that would
   * match with its numbers as they were sent.
   */
  readonly rounded?: boolean;
}

type Scalar = string | number | boolean | null | SentNumber;
type Sight = ShownFields | 'all' | undefined;
type Test = (leaf: Scalar) => boolean;

/** Whether a payload meets a query. Numbers that were sent in an unusual spelling are `SentNumber`s. */
export function matchesContent(payload: JsonValue, query: ContentQuery, options: MatchOptions = {}): boolean {
  const { fields = 'all', mask, rounded = false } = options;
  const visible =
    (test: Test): Test =>
    (leaf) =>
      leaf !== mask && test(leaf);
  return (
    query.where.every((each) =>
      someAt(payload, each.path, 0, fields, visible(conditionTest(each, rounded))),
    ) && query.contains.every((word) => someLeaf(payload, fields, visible(wordTest(word, rounded))))
  );
}

/** Whether some value at the path passes. A position in a list may be left out: then every item is tried. */
function someAt(value: JsonValue, path: readonly string[], at: number, sight: Sight, test: Test): boolean {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const step = path[at];
    if (step === undefined || !/^\d+$/u.test(step))
      return items.some((item) => someAt(item, path, at, sight, test));
    const item = items[Number(step)];
    return item !== undefined && someAt(item, path, at + 1, sight, test);
  }
  if (isObject(value)) {
    const step = path[at];
    if (step === undefined || !Object.hasOwn(value, step)) return false;
    return someAt(value[step]!, path, at + 1, below(sight, step), test);
  }
  return at === path.length && isShown(value as Scalar, sight) && test(value as Scalar);
}

function someLeaf(value: JsonValue, sight: Sight, test: Test): boolean {
  if (Array.isArray(value)) return value.some((item) => someLeaf(item as JsonValue, sight, test));
  if (isObject(value))
    return Object.entries(value).some(([name, member]) => someLeaf(member, below(sight, name), test));
  return isShown(value as Scalar, sight) && test(value as Scalar);
}

function below(sight: Sight, name: string): Sight {
  if (sight === 'all') return 'all';
  return typeof sight === 'object' && Object.hasOwn(sight, name) ? sight[name] : undefined;
}

/** `true`, `false` and `null` always show. */
function isShown(leaf: Scalar, sight: Sight): boolean {
  return sight === 'all' || sight === true || typeof leaf === 'boolean' || leaf === null;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !isSentNumber(value);
}

function isNumber(leaf: Scalar): leaf is number | SentNumber {
  return typeof leaf === 'number' || isSentNumber(leaf);
}

function textOf(leaf: Scalar): string {
  return isSentNumber(leaf) ? leaf.rawJSON : String(leaf);
}

function wordTest(word: string, rounded: boolean): Test {
  const folded = fold(word);
  // The spelling of a number is not known yet.
  if (rounded && /^[\d.e+-]+$/u.test(folded))
    return (leaf) => typeof leaf === 'number' || fold(textOf(leaf)).includes(folded);
  return (leaf) => fold(textOf(leaf)).includes(folded);
}

/** Texts are compared without regard to case. */
export function fold(text: string): string {
  return text.toLowerCase();
}

function conditionTest({ operator, value, quoted }: ContentCondition, rounded: boolean): Test {
  const isNumeric = !quoted && isJsonNumber(value);
  const equals: Test = (leaf) => {
    if (typeof leaf === 'string') return leaf === value;
    if (quoted) return false;
    if (!isNumber(leaf)) return String(leaf) === value;
    return isNumeric && compare(leaf, value, rounded) === 0;
  };
  if (operator === 'contains') return wordTest(value, rounded);
  if (operator === '=') return equals;
  if (operator === '!=') return (leaf) => (rounded && isNumber(leaf)) || !equals(leaf);
  const passes = (order: number): boolean =>
    (order === 0 && (rounded || operator.length === 2)) || (operator.startsWith('>') ? order > 0 : order < 0);
  return (leaf) => {
    if (isNumber(leaf)) return isNumeric && passes(compare(leaf, value, rounded));
    if (typeof leaf !== 'string') return false;
    // Many senders write amounts as strings.
    if (isNumeric && isJsonNumber(leaf) && leaf.length <= MAX_NUMBER)
      return exactly(operator, compareNumbers(leaf, value));
    return exactly(operator, leaf < value ? -1 : leaf > value ? 1 : 0);
  };
}

/** Characters of a string that is compared as a number. */
const MAX_NUMBER = 400;

function exactly(operator: string, order: number): boolean {
  return (order === 0 && operator.length === 2) || (operator.startsWith('>') ? order > 0 : order < 0);
}

/** Rounding keeps the order of numbers, but can make different ones equal. */
function compare(leaf: number | SentNumber, value: string, rounded: boolean): number {
  if (rounded && typeof leaf === 'number') return Math.sign(leaf - Number(value)) || 0;
  return compareNumbers(textOf(leaf), value);
}
