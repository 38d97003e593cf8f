import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highestVersion, inVersionOrder } from './version-order.ts';

/** `3:b` is event number 3 with version b; `4:` one without a version. They are given in order of arrival. */
function order(...texts: readonly string[]): string[] {
  const events = texts.map((text) => ({ text, version: text.split(':')[1] || null }));
  return inVersionOrder(events).map(({ text }) => text);
}

describe('version order', () => {
  it('goes by version, equal ones by arrival', () => {
    expect(order('1:b', '2:a', '3:b', '4:a')).toEqual(['2:a', '4:a', '1:b', '3:b']);
  });

  it('keeps an event without a version behind the highest that had arrived', () => {
    expect(order('1:', '2:c', '3:', '4:a', '5:d', '6:b')).toEqual(['1:', '4:a', '6:b', '2:c', '3:', '5:d']);
  });

  it('is arrival order when nothing has a version', () => {
    expect(order('1:', '2:', '3:')).toEqual(['1:', '2:', '3:']);
  });

  it('puts what follows on all others last, as an incremental fold does', () => {
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

describe('the highest version', () => {
  it('is that of plain strings, and null when no event has one', () => {
    const versions = (...all: (string | null)[]) => highestVersion(all.map((version) => ({ version })));
    expect(versions('a', null, 'c', 'b')).toBe('c');
    expect(versions('10', '9')).toBe('9');
    expect(versions(null, null)).toBeNull();
  });
});
