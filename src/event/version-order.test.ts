import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highestVersion, inVersionOrder } from './version-order.ts';

/** `3:b` is event number 3 with version b, `4:` one without a version. In arrival order. */
function order(...texts: readonly string[]): string[] {
  const events = texts.map((text) => ({ text, version: text.split(':')[1] || null }));
  return inVersionOrder(events).map(({ text }) => text);
}

describe('inVersionOrder', () => {
  it('sorts by version, and by arrival for equal versions', () => {
    expect(order('1:b', '2:a', '3:b', '4:a')).toEqual(['2:a', '4:a', '1:b', '3:b']);
  });

  it('keeps an event without a version after the highest that had arrived', () => {
    expect(order('1:', '2:c', '3:', '4:a', '5:d', '6:b')).toEqual(['1:', '4:a', '6:b', '2:c', '3:', '5:d']);
  });

  it('appends the highest version last, like an incremental fold', () => {
    const version = fc.constantFrom('', 'a', 'b', 'c', 'd');
    fc.assert(
      fc.property(fc.array(version, { minLength: 1 }), (versions) => {
        const highest = versions.slice(0, -1).reduce((one, other) => (one > other ? one : other), '');
        const last = versions.at(-1) as string;
        fc.pre(last === '' || last >= highest);
        const texts = versions.map((text, at) => `${String(at + 1)}:${text}`);
        expect(order(...texts).at(-1)).toBe(texts.at(-1));
      }),
    );
  });
});

describe('highestVersion', () => {
  it('compares plain strings, and is null when no event has a version', () => {
    const versions = (...all: (string | null)[]) => highestVersion(all.map((version) => ({ version })));
    expect(versions('a', null, 'c', 'b')).toBe('c');
    expect(versions('10', '9')).toBe('9');
    expect(versions(null, null)).toBeNull();
  });
});
