import { describe, expect, it } from 'vitest';
import { conditionText, contentQuery, parseConditions } from './content-query.ts';
import { withoutHanging } from '../../../test/support/without-hanging.ts';

const parsed = (text: string): unknown =>
  parseConditions(text).map(({ path, operator, value, quoted }) => [
    path.join('/'),
    operator,
    quoted ? `"${value}"` : value,
  ]);

/** The conditions, or why there are none. */
function outcomeOf(text: string): unknown {
  try {
    return parseConditions(text);
  } catch (error) {
    return error;
  }
}

describe('conditions on a payload', () => {
  it.each([
    ['data.company.tax_id = 12345678000190', [['company/tax_id', '=', '12345678000190']]],
    ['data.status=paid', [['status', '=', 'paid']]],
    [
      'data.a != "x y" and data.b contains São',
      [
        ['a', '!=', '"x y"'],
        ['b', 'contains', 'São'],
      ],
    ],
    [
      'data.amount >= 100.50 AND data.amount<200',
      [
        ['amount', '>=', '100.50'],
        ['amount', '<', '200'],
      ],
    ],
    ['data.name = Serra and Azul Ltda', [['name', '=', 'Serra and Azul Ltda']]],
    ['data.name = "x and data.b = 2"', [['name', '=', '"x and data.b = 2"']]],
    ['data.items.0.id > -1', [['items/0/id', '>', '-1']]],
    ['data."odd name"."a.b" contains "\\"q\\""', [['odd name/a.b', 'contains', '""q""']]],
    ['data.list contains = sign', [['list', 'contains', '= sign']]],
    ['data.empty = ""', [['empty', '=', '""']]],
  ])('%s', (text, expected) => {
    expect(parsed(text)).toEqual(expected);
    expect(parsed(parseConditions(text).map(conditionText).join(' and '))).toEqual(expected);
  });

  it.each([
    ['company.tax_id = 5', /begin a condition with a field of the payload: data\.company/u],
    ['data = 5', /name a field below data/u],
    ['data.a', /begin a condition/u],
    ['data.a ~ 5', /write one of = != > >= < <= contains after data\.a/u],
    ['data.a =', /write a value after data\.a =/u],
    [`data.a = ${'x'.repeat(201)}`, /200 characters/u],
    [`data.${'a.'.repeat(20)}a = 1`, /16 levels/u],
    ['data.a = 1e9999999', /no usual number/u],
    [`data.a = ${' '.repeat(990)}`, /write a value/u],
    ['x'.repeat(1_001), /1000 characters/u],
  ])('%j is rejected with what was meant', (text, message) => {
    expect(() => parseConditions(text)).toThrow(message);
  });

  it('are eight at most, words included', () => {
    expect(contentQuery(['', ' '], [' '])).toBeNull();
    expect(() => contentQuery(['data.a = 1'], Array.from({ length: 8 }, String))).toThrow(/8 conditions/u);
  });

  it.each(['data.' + '"\\'.repeat(400), 'data.a = ' + ' and'.repeat(240), 'data.a =' + ' \t'.repeat(490)])(
    'of hostile length are read without trying all ways to split them: %j',
    (text) => {
      expect(withoutHanging(() => outcomeOf(text))).toBeDefined();
    },
  );
});
