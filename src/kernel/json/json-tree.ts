import type { JsonValue } from './json.ts';

/** Where a value, or a key with its quotes, stands in the text: from `start` to before `end`. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** A JSON value with its place in the text. */
export type JsonNode = JsonScalar | JsonList | JsonMembers;

export interface JsonScalar extends JsonSpan {
  readonly type: 'scalar';
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

/** Strings, punctuation, numbers and words; white space is skipped. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gsu;

/**
 * Parses JSON to a tree with places, so that single values can be replaced and all
 * other bytes stay as they were sent.
 *
 * @throws SyntaxError for text that JSON.parse rejects
 * @throws RangeError for text nested some thousand levels deep
 */
export function parseJsonTree(text: string): JsonNode {
  JSON.parse(text);
  const tokens = text.matchAll(TOKEN);
  let token = tokens.next().value!;
  const advance = (): void => {
    const next = tokens.next();
    if (next.done !== true) token = next.value;
  };

  function node(): JsonNode {
    const [found] = token;
    if (found === '{') return object();
    if (found === '[') return list();
    const scalar: JsonScalar = { type: 'scalar', ...span(), value: JSON.parse(found) as JsonScalar['value'] };
    advance();
    return scalar;
  }

  function object(): JsonMembers {
    const { start } = span();
    const members: JsonMember[] = [];
    advance();
    while (token[0] !== '}') {
      const key = JSON.parse(token[0]) as string;
      const keySpan = span();
      advance();
      // Skips the colon.
      advance();
      members.push({ key, keySpan, node: node() });
      if (token[0] === ',') advance();
    }
    const { end } = span();
    advance();
    return { type: 'object', start, end, members };
  }

  function list(): JsonList {
    const { start } = span();
    const items: JsonNode[] = [];
    advance();
    while (token[0] !== ']') {
      items.push(node());
      if (token[0] === ',') advance();
    }
    const { end } = span();
    advance();
    return { type: 'array', start, end, items };
  }

  function span(): JsonSpan {
    return { start: token.index, end: token.index + token[0].length };
  }

  return node();
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

/** Returns the plain value of a node, as JSON.parse does. */
export function valueOfNode(node: JsonNode): JsonValue {
  if (node.type === 'scalar') return node.value;
  if (node.type === 'array') return node.items.map(valueOfNode);
  // fromEntries defines own properties, so a member named `__proto__` stays a member.
  return Object.fromEntries(node.members.map(({ key, node: member }) => [key, valueOfNode(member)]));
}
