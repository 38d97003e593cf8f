/** Keeps the spelling of numbers that were sent. */
import { isDigits, isSentAsNumber, nodesByKey, readTree, type JsonNode } from './json-tree.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** A number that JavaScript would spell differently. `JSON.stringify` writes it as it was sent. */
export interface SentNumber extends JsonObject {
  readonly rawJSON: string;
}

/** Newer than the types of TypeScript (Node.js 22 has it). */
const json = JSON as unknown as {
  rawJSON(text: string): SentNumber;
  isRawJSON(value: unknown): boolean;
};

export function isSentNumber(value: unknown): value is SentNumber {
  return json.isRawJSON(value);
}

/** A number of sixteen digits or more, with an exponent, with a zero at the end of its fraction, or minus zero. */
const UNUSUAL = /(?:\d\.?){16}|\d[eE]|\.\d*0(?!\d)|-0/u;

/**
 * Puts the numbers of a text in the place of those of its value, wherever parsing has changed their spelling:
 * 12345678901234567890 and 1.10 stay as they were sent.
 *
 * @param value what the text parses to, or that with some values replaced by others, which stay
 * @param text valid JSON
 */
export function withSentNumbers(value: JsonValue, text: string): JsonValue {
  return UNUSUAL.test(text) ? putNumbers(value, readTree(text), text) : value;
}

/** Writes JSON in which what was sent as a number, and is the text of its digits in a payload, is that number again. */
export function sentJson(value: unknown): string {
  return JSON.stringify(value, asSent);
}

function asSent(this: object, name: string, value: unknown): unknown {
  // A handler may have put another text in its place.
  const isNumber = typeof value === 'string' && isSentAsNumber(this, name) && /^-?[1-9]\d{15,}$/u.test(value);
  return isNumber ? json.rawJSON(value) : value;
}

/** Returns the same value where no spelling has changed. */
function putNumbers(value: JsonValue, node: JsonNode, text: string): JsonValue {
  if (node.type === 'scalar') {
    const sent = text.slice(node.start, node.end);
    if (typeof value === 'number' ? String(value) === sent : !isDigits(node)) return value;
    // A value in the place of another is no number of this text.
    return Object.is(node.value, value) ? json.rawJSON(sent) : value;
  }
  if (node.type === 'array') {
    if (!Array.isArray(value)) return value;
    const items = value as readonly JsonValue[];
    const placed = items.map((item, at) => {
      const child = node.items[at];
      return child === undefined ? item : putNumbers(item, child, text);
    });
    return placed.every((item, at) => item === items[at]) ? items : placed;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value as JsonObject);
  const nodes = nodesByKey(node);
  const placed = members.map(([name, member]) => {
    const child = nodes.get(name);
    return [name, child === undefined ? member : putNumbers(member, child, text)] as const;
  });
  if (placed.every(([, member], at) => member === members[at]?.[1])) return value;
  // fromEntries defines own properties, so a member named `__proto__` stays a member.
  return Object.fromEntries(placed);
}
