import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toJson } from './to-json.ts';

describe('toJson', () => {
  it('returns what storing the value and reading it would give', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toJson(value, 'state')).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('returns a copy', () => {
    const state = { steps: ['otp'] };
    const copy = toJson(state, 'state');
    state.steps.push('password');
    expect(copy).toEqual({ steps: ['otp'] });
  });

  it('drops undefined properties, as JSON does', () => {
    expect(Object.keys(toJson({ a: 1, b: undefined }, 'state') as object)).toEqual(['a']);
  });

  it('keeps a property named __proto__ as a property', () => {
    const copy = toJson(JSON.parse('{"__proto__":{"admin":true}}'), 'state');
    expect(Object.keys(copy as object)).toEqual(['__proto__']);
    expect((copy as { admin?: boolean }).admin).toBeUndefined();
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  class Money {}
  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'state must be JSON, but is undefined'],
    ['NaN', { total: NaN }, 'state.total must be JSON, but is NaN'],
    ['a function', [() => 1], 'state[0] must be JSON, but is a function'],
    ['a bigint', { a: { b: 1n } }, 'state.a.b must be JSON, but is a bigint'],
    ['a symbol', Symbol('x'), 'state must be JSON, but is a symbol'],
    ['a Date', { at: new Date(0) }, 'state.at must be JSON, but is a Date'],
    ['a Map', new Map(), 'state must be JSON, but is a Map'],
    ['an instance', { price: new Money() }, 'state.price must be JSON, but is a Money'],
    ['a hole in a list', [undefined], 'state[0] must be JSON, but is undefined'],
    ['a cycle', cycle, 'state.self must be JSON, but contains itself'],
  ])('rejects %s, and names its place', (_, state, message) => {
    expect(() => toJson(state, 'state')).toThrow(new TypeError(message));
  });

  it('accepts the same object twice, side by side', () => {
    const shared = { id: 1 };
    expect(toJson({ a: shared, b: [shared] }, 'state')).toEqual({ a: { id: 1 }, b: [{ id: 1 }] });
  });
});
