import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareNumbers, isJsonNumber } from '../../kernel/json/exact-number.ts';
import { parseJsonTree, type JsonNode } from '../../kernel/json/json-tree.ts';
import { parseJson } from '../../kernel/json/parse-json.ts';
import { withSentNumbers } from '../../kernel/json/sent-numbers.ts';
import { parseConditions, type ContentCondition } from './content-query.ts';
import { createContentTest } from './content-test.ts';
import { matchesContent, type ShownFields } from './match-content.ts';
import { propertyRuns } from '../../../test/support/property-runs.ts';

const matches = (json: string, where: string, fields?: ShownFields): boolean =>
  matchesContent(
    withSentNumbers(parseJson(json), json),
    { where: parseConditions(where), contains: [] },
    fields === undefined ? {} : { fields },
  );

describe('a condition', () => {
  it.each([
    ['{"tax_id":"12345678000190"}', 'data.tax_id = 12345678000190', true],
    ['{"tax_id":12345678000190}', 'data.tax_id = 12345678000190', true],
    ['{"tax_id":12345678000190}', 'data.tax_id = "12345678000190"', false],
    ['{"id":12345678901234567890}', 'data.id = 12345678901234567890', true],
    ['{"id":12345678901234567890}', 'data.id = 12345678901234567891', false],
    ['{"id":12345678901234567890}', 'data.id != 12345678901234567891', true],
    ['{"id":9007199254740993}', 'data.id > 9007199254740992', true],
    ['{"a":1.10}', 'data.a = 1.1', true],
    ['{"a":"1.10"}', 'data.a = 1.1', false],
    ['{"a":"100.50"}', 'data.a > 99', true],
    ['{"a":"2026-11-20T10:00:00Z"}', 'data.a > 2026-11-19', true],
    ['{"a":null}', 'data.a = null', true],
    ['{"a":null}', 'data.a != 5', true],
    ['{}', 'data.a != 5', false],
    ['{"a":true}', 'data.a > 0', false],
    ['{"items":[{"id":1},{"id":2}]}', 'data.items.id = 2', true],
    ['{"items":[{"id":1},{"id":2}]}', 'data.items.0.id = 2', false],
    ['{"list":["Serra AZUL"]}', 'data.list contains azul', true],
    ['{"n":1.10}', 'data.n contains 1.10', true],
    ['{"a":{"b":1}}', 'data.a = 1', false],
    ['{"a":1}', 'data.constructor != 1', false],
    ['{"__proto__":1}', 'data.__proto__ = 1', true],
  ])('%s meets %s: %s', (json, where, expected) => {
    expect(matches(json, where)).toBe(expected);
  });

  it('on a field that does not show is never met, not even by a difference', () => {
    const fields = { name: true, company: { city: true } } as const;
    expect(matches('{"name":"a","tax_id":"5"}', 'data.tax_id = 5', fields)).toBe(false);
    expect(matches('{"name":"a","tax_id":"5"}', 'data.tax_id != 6', fields)).toBe(false);
    expect(matches('{"company":{"city":"X","tax_id":7}}', 'data.company.tax_id > 0', fields)).toBe(false);
    expect(matches('{"company":{"city":"X"}}', 'data.company.city = X', fields)).toBe(true);
    expect(matches('{"name":{"first":"Ana"}}', 'data.name.first = Ana', fields)).toBe(false);
  });

  it('on lists within lists costs no more than their size', () => {
    const json = `${'['.repeat(60)}1${']'.repeat(60)}`;
    expect(matches(`{"a":${json}}`, `data.a.0.0.0.0.0.0.0.0.0.0.0.0.0 = 2`)).toBe(false);
  });
});

/** The definition in other words: every value of the tree with its path, and its spelling. */
function meets(json: string, { path, operator, value, quoted }: ContentCondition): boolean {
  const found: { at: readonly (string | number)[]; text: string; type: string }[] = [];
  const walk = (node: JsonNode, at: readonly (string | number)[]): void => {
    if (node.type === 'array') for (const [index, item] of node.items.entries()) walk(item, [...at, index]);
    else if (node.type === 'object')
      for (const key of new Set(node.members.map((member) => member.key)))
        walk(node.members.findLast((member) => member.key === key)!.node, [...at, key]);
    else
      found.push({
        at,
        // The tree gives a long number as text.
        type: typeof node.value === 'string' && json[node.start] !== '"' ? 'number' : typeof node.value,
        text: typeof node.value === 'string' ? node.value : json.slice(node.start, node.end),
      });
  };
  walk(parseJsonTree(json), []);
  const isNumeric = !quoted && isJsonNumber(value);
  return found.some(({ at, text, type }) => {
    if (JSON.stringify(at.filter((step) => typeof step === 'string')) !== JSON.stringify(path)) return false;
    const order =
      type === 'number' || (type === 'string' && isNumeric && isJsonNumber(text) && /[<>]/u.test(operator))
        ? isNumeric
          ? compareNumbers(text, value)
          : Number.NaN
        : text < value
          ? -1
          : Number(text > value);
    const isEqual = order === 0 && !(quoted && type !== 'string');
    if (operator === 'contains') return text.toLowerCase().includes(value.toLowerCase());
    if (operator === '=') return isEqual;
    if (operator === '!=') return !isEqual;
    if (type !== 'number' && type !== 'string') return false;
    return operator.startsWith('>')
      ? order > 0 || (operator === '>=' && order === 0)
      : order < 0 || (operator === '<=' && order === 0);
  });
}

const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map(String),
  fc.constantFrom(
    '1.10',
    '1.1',
    '1e0',
    '1.0',
    '12345678901234567890',
    '12345678901234567891',
    '0.1',
    '-0',
    '1E2',
    '100',
  ),
);
const text = fc.constantFrom('a', 'A b', '1', '1.10', 'São', 'x"y', 'x\\y', '100', 'true', '', 'ǅ');
const scalar = fc.oneof(
  number,
  text.map((each) => JSON.stringify(each)),
  text.map(
    (each) =>
      `"${Array.from({ length: each.length }, (_, at) => each[at]!)
        .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('')}"`,
  ),
  fc.constantFrom('true', 'false', 'null'),
);
const name = fc.constantFrom('a', 'b', 'c"d', '__proto__');
const { tree } = fc.letrec<{ tree: string; list: string; object: string }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalar, tie('list'), tie('object')),
  list: fc.array(tie('tree'), { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
  object: fc
    .array(fc.tuple(name, tie('tree')), { maxLength: 4 })
    .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(',')}}`),
}));
const condition: fc.Arbitrary<ContentCondition> = fc
  .record({
    path: fc.array(name, { minLength: 1, maxLength: 3 }),
    operator: fc.constantFrom('=', '!=', '>', '>=', '<', '<=', 'contains'),
    value: fc.oneof(number, text),
    quoted: fc.boolean(),
  })
  .filter(({ value, quoted }) => quoted || value !== '');

describe('a search of bodies', () => {
  it('finds what a plain filter over all values finds', () => {
    fc.assert(
      fc.property(tree, fc.array(condition, { minLength: 1, maxLength: 2 }), (data, where) => {
        const query = { where, contains: [] };
        const test = createContentTest({ query, shown: null, dataPaths: {} });
        const expected = where.every((each) => meets(data, each));
        expect(test({ source: 'default', kind: 'x' }, `{"type":"x","data":${data}}`)).toBe(expected);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it('finds a word in any value of the payload, and not beside it', () => {
    const found = (body: string, word: string): boolean =>
      createContentTest({ query: { where: [], contains: [word] }, shown: null, dataPaths: {} })(
        { source: 'default', kind: 'x' },
        body,
      );
    expect(found('{"type":"x","data":{"a":["Serra Azul"]}}', 'AZUL')).toBe(true);
    expect(found('{"type":"azul","data":{"azul":1}}', 'azul')).toBe(false);
    expect(found('{"data":{"a":"Jos\\u00e9"}}', 'josé')).toBe(true);
    expect(found('\uFEFF{"data":{"a":12345678901234567890}}', '67890')).toBe(true);
    expect(found('not json azul', 'azul')).toBe(false);
  });

  it('finds a number beside a text of nine megabytes', () => {
    const query = { where: parseConditions('data.id = 7'), contains: [] };
    const test = createContentTest({ query, shown: null, dataPaths: {} });
    const body = `{"type":"x","data":{"id":7,"amount":1.10,"scan":"${'x'.repeat(9_000_000)}"}}`;
    expect(test({ source: 'default', kind: 'x' }, body)).toBe(true);
  });

  it('does not take an error of its own for a body that does not match', () => {
    const query = { where: parseConditions('data.id = 7'), contains: [] };
    const shown = {
      shared: {
        get x(): never {
          throw new RangeError('of the search');
        },
      },
      ofSource: {},
    };
    const test = createContentTest({ query, shown, dataPaths: {} });
    expect(() => test({ source: 'default', kind: 'x' }, '{"data":{"id":7}}')).toThrow('of the search');
  });

  it('reads the payload of a custom source at its place', () => {
    const search = { query: { where: parseConditions('data.total = 5'), contains: [] }, shown: null };
    const test = createContentTest({ ...search, dataPaths: { shop: ['event', 'payload'], odd: null } });
    expect(test({ source: 'shop', kind: 'paid' }, '{"event":{"payload":{"total":5}}}')).toBe(true);
    expect(test({ source: 'default', kind: 'paid' }, '{"event":{"payload":{"total":5}}}')).toBe(false);
    expect(test({ source: 'odd', kind: 'paid' }, '["total",5]')).toBe(true);
  });
});
