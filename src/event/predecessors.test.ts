import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { predecessorsOf, type ComparedEvent } from './predecessors.ts';
import type { Verdict } from './stored-event.ts';
import { withoutHanging } from '../../test/support/without-hanging.ts';

interface Sketch {
  readonly verdict: Verdict;
  readonly version: string | null;
  readonly source?: string;
}

/** Creates events with ids from 1, in arrival order. */
const events = (sketches: readonly Sketch[]): readonly ComparedEvent[] =>
  sketches.map((sketch, at) => ({
    source: 'default',
    ...sketch,
    id: String(at + 1),
  }));

const predecessors = (...sketches: readonly Sketch[]): readonly (string | undefined)[] => {
  const map = predecessorsOf(events(sketches));
  return sketches.map((_, at) => map.get(String(at + 1)));
};

const fresh = (version: string | null, source = 'default'): Sketch => ({ verdict: 'new', version, source });
const stale = (version: string): Sketch => ({ verdict: 'stale', version });

describe('predecessorsOf', () => {
  it('returns the preceding version for a stale event, stale ones included', () => {
    expect(predecessors(fresh('1'), fresh('9'), stale('5'), stale('7'), stale('6'))).toEqual([
      undefined,
      '1',
      '1',
      '3',
      '3',
    ]);
  });

  it('agrees with a search through all earlier events', () => {
    const sketch = fc.record<Required<Sketch>>({
      verdict: fc.constantFrom('new', 'stale', 'ambiguous'),
      version: fc.option(fc.constantFrom('1', '2', '3')),
      source: fc.constantFrom('default', 'other'),
    });
    fc.assert(
      fc.property(fc.array(sketch, { maxLength: 20 }), (sketches) => {
        expect(predecessors(...sketches)).toEqual(lookedThrough(events(sketches)));
      }),
    );
  });

  it('costs the same for each event, however many came earlier', () => {
    const count = 200_000;
    const all = events(
      Array.from({ length: count }, (_, at) => ({
        verdict: at % 2 === 0 ? 'new' : 'stale',
        version: String((at * 7919) % count).padStart(6, '0'),
      })),
    );
    expect(withoutHanging(() => predecessorsOf(all)).size).toBeGreaterThan(count / 2);
  });
});

/** The rule as a plain search. */
function lookedThrough(all: readonly ComparedEvent[]): readonly (string | undefined)[] {
  return all.map((event, at) => {
    const earlier = all.slice(0, at).filter(({ source }) => source === event.source);
    if (event.verdict !== 'stale') return earlier.findLast(({ verdict }) => verdict !== 'stale')?.id;
    const { version } = event;
    if (version === null) return undefined;
    return earlier
      .filter((one) => one.version !== null && one.version <= version)
      .reduce<ComparedEvent | undefined>(
        (best, one) => (best?.version != null && best.version > String(one.version) ? best : one),
        undefined,
      )?.id;
  });
}
