import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventRecord, Verdict } from '../event/stored-event.ts';
import { testEvent } from '../testing/test-event.ts';
import { comparedWith } from './compared-with.ts';

interface Sketch {
  readonly verdict: Verdict;
  readonly version: string | null;
  readonly source?: string;
}

/** Events numbered from 1 in arrival order. */
const events = (sketches: readonly Sketch[]): readonly EventRecord[] =>
  sketches.map((sketch, at) => ({
    ...(testEvent('charge.updated') as EventRecord),
    source: 'default',
    ...sketch,
    id: String(at + 1),
  }));

const befores = (...sketches: readonly Sketch[]): readonly (string | undefined)[] => {
  const map = comparedWith(events(sketches));
  return sketches.map((_, at) => map.get(String(at + 1)));
};

const fresh = (version: string | null, source = 'default'): Sketch => ({ verdict: 'new', version, source });
const stale = (version: string): Sketch => ({ verdict: 'stale', version });

describe('what an event is compared with', () => {
  it('is the latest until then', () => {
    expect(befores(fresh('1'), fresh('2'), fresh('3'))).toEqual([undefined, '1', '2']);
  });

  it('skips stale events, which changed nothing', () => {
    expect(befores(fresh('1'), fresh('5'), stale('3'), fresh('6'))).toEqual([undefined, '1', '1', '2']);
  });

  it('is for a stale event what it follows by version, other stale ones included', () => {
    expect(befores(fresh('1'), fresh('9'), stale('5'), stale('7'), stale('6'))).toEqual([
      undefined,
      '1',
      '1',
      '3',
      '3',
    ]);
  });

  it('is nothing for a stale event that is the oldest of all', () => {
    expect(befores(fresh('5'), stale('2'))).toEqual([undefined, undefined]);
  });

  it('is the latest for what has no version, and for what is ambiguous', () => {
    expect(befores(fresh(null), fresh(null), { verdict: 'ambiguous', version: null })).toEqual([
      undefined,
      '1',
      '2',
    ]);
  });

  it('is of the same source', () => {
    expect(befores(fresh('1'), fresh('2', 'other'), fresh('3'))).toEqual([undefined, undefined, '1']);
  });

  it('always came earlier', () => {
    const sketch = fc.record<Sketch>({
      verdict: fc.constantFrom('new', 'stale', 'ambiguous'),
      version: fc.option(fc.constantFrom('1', '2', '3')),
      source: fc.constantFrom('default', 'other'),
    });
    fc.assert(
      fc.property(fc.array(sketch, { maxLength: 20 }), (sketches) => {
        for (const [at, before] of befores(...sketches).entries())
          if (before !== undefined) expect(Number(before)).toBeLessThan(at + 1);
      }),
    );
  });
});
