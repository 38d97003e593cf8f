/** Reads JSON with the offset of each value in the text. */
import {
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  endOfString,
  isWord,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  skipSpace,
} from './code-units.ts';
import { compareNumbers } from './exact-number.ts';
import type { JsonValue } from './json.ts';

/** Where a value, or a key with its quotes, stands in the text: from `start` to before `end`. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** A JSON value with its offsets in the text. */
export type JsonNode = JsonScalar | JsonList | JsonMembers;

export interface JsonScalar extends JsonSpan {
  readonly type: 'scalar';
  /** A string for a number that is read as its digits. */
  readonly value: string | number | boolean | null;
}

export interface JsonList extends JsonSpan {
  readonly type: 'array';
  readonly items: readonly JsonNode[];
}

/** An object. Unlike the value of JSON.parse it keeps every member of the same name. */
export interface JsonMembers extends JsonSpan {
  readonly type: 'object';
  readonly members: readonly JsonMember[];
}

export interface JsonMember {
  readonly key: string;
  readonly keySpan: JsonSpan;
  readonly node: JsonNode;
}

/** Text to put in the place of a span. */
export interface Replacement extends JsonSpan {
  readonly json: string;
}

/**
 * Parses JSON to a tree with places, so that single values can be replaced and all
 * other bytes stay as they were sent.
 *
 * @throws SyntaxError for text that JSON.parse rejects
 * @throws RangeError for text nested some thousand levels deep
 */
export function parseJsonTree(text: string): JsonNode {
  JSON.parse(text);
  return readTree(text);
}

/** Reads text that JSON.parse accepts. */
export function readTree(text: string): JsonNode {
  let at = 0;

  function node(): JsonNode {
    at = skipSpace(text, at);
    const unit = text.charCodeAt(at);
    if (unit === OPEN_OBJECT) return object();
    if (unit === OPEN_ARRAY) return list();
    const { start, end } = unit === QUOTE ? string() : word();
    const value = unit === QUOTE ? stringAt(start, end) : wordAt(start, end);
    return { type: 'scalar', start, end, value };
  }

  function object(): JsonMembers {
    const start = at;
    const members: JsonMember[] = [];
    at = skipSpace(text, at + 1);
    while (text.charCodeAt(at) !== CLOSE_OBJECT) {
      const keySpan = string();
      // Skips the colon.
      at = skipSpace(text, at) + 1;
      members.push({ key: stringAt(keySpan.start, keySpan.end), keySpan, node: node() });
      skipComma();
    }
    at += 1;
    return { type: 'object', start, end: at, members };
  }

  function list(): JsonList {
    const start = at;
    const items: JsonNode[] = [];
    at = skipSpace(text, at + 1);
    while (text.charCodeAt(at) !== CLOSE_ARRAY) {
      items.push(node());
      skipComma();
    }
    at += 1;
    return { type: 'array', start, end: at, items };
  }

  function string(): JsonSpan {
    const start = at;
    at = endOfString(text, at + 1);
    return { start, end: at };
  }

  /** Steps over a number, `true`, `false` or `null`. */
  function word(): JsonSpan {
    const start = at;
    while (isWord(text.charCodeAt(at))) at += 1;
    return { start, end: at };
  }

  /** JSON.parse of each value would take longer. */
  function stringAt(start: number, end: number): string {
    const spelled = text.slice(start + 1, end - 1);
    return spelled.includes('\\') ? (JSON.parse(`"${spelled}"`) as string) : spelled;
  }

  function wordAt(start: number, end: number): JsonScalar['value'] {
    const word = text.slice(start, end);
    if (word === 'null') return null;
    return word === 'true' || (word !== 'false' && numberOrDigits(word));
  }

  function skipComma(): void {
    at = skipSpace(text, at);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }

  return node();
}

/**
 * The digits of a whole number beyond 2^53 that a double would round to others: two ids must not become one. Numbers
 * with a fraction or an exponent are amounts and measures, and count as the doubles that their senders have.
 */
function numberOrDigits(word: string): number | string {
  const number = Number(word);
  if (Number.isSafeInteger(number) || !Number.isFinite(number) || !/^-?\d+$/u.test(word)) return number;
  return compareNumbers(String(number), word) === 0 ? number : word;
}

/** Whether a node is a number that is read as its digits: a string has quotes around it. */
export function isDigits(node: JsonNode): boolean {
  return (
    node.type === 'scalar' && typeof node.value === 'string' && node.value.length === node.end - node.start
  );
}

/** Replaces spans, which may be in any order and must not overlap. */
export function replaceSpans(text: string, replacements: readonly Replacement[]): string {
  const ordered = replacements.toSorted((one, other) => one.start - other.start);
  let rest = 0;
  let result = '';
  for (const { start, end, json } of ordered) {
    result += text.slice(rest, start) + json;
    rest = end;
  }
  return result + text.slice(rest);
}

/** Returns the plain value of a node. A body of a mebibyte has half a million of them: most lists hold no digits. */
export function valueOfNode(node: JsonNode): JsonValue {
  if (node.type === 'scalar') return node.value;
  if (node.type === 'array') {
    const list = node.items.map(valueOfNode);
    if (node.items.some(isDigits)) noteDigits(list, node.items.entries());
    return list;
  }
  // fromEntries defines own properties, so a member named `__proto__` stays a member.
  const object = Object.fromEntries(node.members.map(({ key, node: inner }) => [key, valueOfNode(inner)]));
  if (node.members.some(({ node: inner }) => isDigits(inner))) noteDigits(object, nodesByKey(node));
  return object;
}

/** The nodes of an object. Of equal names the last one counts, as for JSON.parse. */
export function nodesByKey({ members }: JsonMembers): ReadonlyMap<string, JsonNode> {
  return new Map(members.map(({ key, node }) => [key, node]));
}

function noteDigits(holder: object, nodes: Iterable<readonly [string | number, JsonNode]>): void {
  const names = new Set<string>();
  for (const [name, node] of nodes) if (isDigits(node)) names.add(String(name));
  digitsIn.set(holder, names);
}

/** The names, or the positions, of the numbers that an object or list has as their digits. */
const digitsIn = new WeakMap<object, ReadonlySet<string>>();

/** Whether a member was sent as a number, and is the text of its digits. */
export function isSentAsNumber(holder: object, name: string): boolean {
  return digitsIn.get(holder)?.has(name) ?? false;
}
