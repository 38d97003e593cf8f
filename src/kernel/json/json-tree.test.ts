import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJsonTree, replaceSpans, valueOfNode, type JsonNode } from './json-tree.ts';

function scalarsOf(
  node: JsonNode,
): readonly { readonly start: number; readonly end: number; readonly value: unknown }[] {
  if (node.type === 'scalar') return [node];
  if (node.type === 'array') return node.items.flatMap(scalarsOf);
  return node.members.flatMap((member) => scalarsOf(member.node));
}

describe('parseJsonTree', () => {
  it('has the value of JSON.parse, and the place of every scalar, for any JSON', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        const tree = parseJsonTree(text);
        expect(valueOfNode(tree)).toEqual(JSON.parse(text));
        for (const { start, end, value } of scalarsOf(tree))
          expect(JSON.parse(text.slice(start, end))).toEqual(value);
      }),
    );
  });

  it('keeps members of the same name, escaped keys and the spelling of numbers', () => {
    const text = ' { "a" : 1.50 , "a":[{}, 2e3, []], "\\u0062\\"}":"x,]" }';
    const tree = parseJsonTree(text);
    if (tree.type !== 'object') throw new Error('not an object');
    expect(tree.members.map(({ key }) => key)).toEqual(['a', 'a', 'b"}']);
    expect(scalarsOf(tree).map(({ start, end }) => text.slice(start, end))).toEqual(['1.50', '2e3', '"x,]"']);
  });

  it('reads a string of nine megabytes, with and without escapes', () => {
    for (const long of ['x'.repeat(9_000_000), '\\"'.repeat(4_500_000)]) {
      const tree = parseJsonTree(`["${long}",1.50]`);
      expect(scalarsOf(tree).map(({ end }) => end)).toEqual([long.length + 3, long.length + 8]);
    }
  });

  it.each(['', '{', '[1,]', '{"a":}', '01', 'nul'])('rejects %j', (text) => {
    expect(() => parseJsonTree(text)).toThrow(SyntaxError);
  });
});

describe('replaceSpans', () => {
  it('changes the given places and nothing else', () => {
    expect(
      replaceSpans('a 12 b 3 c', [
        { start: 7, end: 8, json: 'null' },
        { start: 2, end: 4, json: '0' },
      ]),
    ).toBe('a 0 b null c');
  });
});
