import { describe, expect, it } from 'vitest';
import { defineHandler } from '../define/handler.ts';
import { defineMachine } from '../define/machine.ts';
import { createRegistry } from './registry.ts';

const limit = { limit: 7, per: 'second' } as const;
const named = (name: string, rate: Parameters<typeof defineHandler>[0]['rate']) =>
  defineHandler({ name, on: 'charge.*', ...(rate !== undefined && { rate }), handle: () => undefined });

describe('the rate of a definition', () => {
  it('is a bucket of its own, whose calls are rounded down', () => {
    const registry = createRegistry([named('erp', limit), named('ledger', undefined)]);
    const intervalUs = 142_858;
    expect(registry.rate('erp')).toEqual({ bucket: 'erp', intervalUs, burst: 1, ...limit, key: undefined });
    expect(registry.rate('ledger')).toBeUndefined();
  });

  it('limits the effects of a machine, not its folds', () => {
    const machine = defineMachine({
      name: 'slip',
      on: 'charge.*',
      initial: 0,
      evolve: (state) => state + 1,
      rate: { limit: 60, per: 'minute', burst: 10, key: 'source' },
    });
    const registry = createRegistry([machine]);
    expect(registry.rate('slip')).toBeUndefined();
    expect(registry.rate('slip/effects')).toEqual({
      ...{ bucket: 'slip', intervalUs: 1_000_000, burst: 10, key: 'source' },
      ...{ limit: 60, per: 'minute' },
    });
  });

  it('is shared by its name', () => {
    const registry = createRegistry([named('one', 'erp'), named('two', { ...limit, name: 'erp' })]);
    expect(registry.rate('one')).toEqual(registry.rate('two'));
    expect(registry.rate('one')?.bucket).toBe('rate:erp');
  });

  it('stops the start where its name is defined nowhere, or differently, with all mistakes at once', () => {
    const definitions = [
      named('one', { ...limit, name: 'erp' }),
      named('two', { ...limit, name: 'erp', burst: 2 }),
      named('three', 'eprs'),
    ];
    expect(() => createRegistry(definitions)).toThrow(
      `handler "two": rate "erp" differs from that of handler "one": make them equal, or write rate: 'erp' in one of them; ` +
        `handler "three": rate "eprs" is defined nowhere: one definition needs rate: { name: 'eprs', limit, per }`,
    );
  });

  it('is checked with the rest of the definition, with all mistakes at once', () => {
    const rate = { limit: 0, per: 'day', burst: 1.5, key: 'kind', name: 'The ERP', brust: 1 } as never;
    expect(() => named('erp', rate)).toThrow(
      'handler "erp" is not valid: rate.limit: is 0: it must be a whole number from 1; ' +
        'rate.per: is "day": it must be "second", "minute" or "hour"; ' +
        'rate.burst: is 1.5: it must be a whole number from 1; ' +
        'rate.key: is "kind": it must be "subject", "source" or a function of the event; ' +
        'rate.name: is "The ERP": it must be lower-case letters, digits and dashes, the first not a dash; ' +
        'rate.brust: is not a field here: did you mean burst?',
    );
    expect(() => named('erp', 7 as never)).toThrow(
      'rate: is 7: it must be an object {limit, per}, or the name',
    );
  });
});
