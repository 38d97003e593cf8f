import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../event/stored-event.ts';
import { inVersionOrder } from './version-order.ts';

/** `3:b` is event number 3 with version b; `4:` one without a version. */
function events(...texts: readonly string[]): StoredEvent[] {
  return texts.map((text) => {
    const [number, version] = text.split(':');
    return { id: `abc123-${number}`, version: version === '' ? null : version } as StoredEvent;
  });
}

function order(...texts: readonly string[]): string[] {
  return inVersionOrder(events(...texts)).map(({ id, version }) => `${id.slice(7)}:${version ?? ''}`);
}

describe('version order', () => {
  it('goes by version, equal ones by arrival', () => {
    expect(order('1:b', '2:a', '3:b', '4:a')).toEqual(['2:a', '4:a', '1:b', '3:b']);
  });

  it('compares arrival as numbers, whatever the order given', () => {
    expect(order('10:a', '9:a', '100:a')).toEqual(['9:a', '10:a', '100:a']);
  });

  it('keeps an event without a version behind the highest that had arrived', () => {
    expect(order('1:', '2:c', '3:', '4:a', '5:d', '6:b')).toEqual(['1:', '4:a', '6:b', '2:c', '3:', '5:d']);
  });

  it('is arrival order when nothing has a version', () => {
    expect(order('3:', '1:', '2:')).toEqual(['1:', '2:', '3:']);
  });

  it('counts an event once', () => {
    expect(order('1:a', '2:b', '1:a')).toEqual(['1:a', '2:b']);
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
