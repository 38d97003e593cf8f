/** The compiled check of every kind agrees with its schema. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogue, eventKinds } from '../../src/contract/catalogue.ts';
import { specification } from '../../src/contract/specification.ts';
import type { KindContract } from '../../src/contract/kind-contract.ts';
import type { JsonObject, JsonValue } from '../../src/kernel/json/json.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { placedFields, without, withValue } from '../support/webhooks/payload-fields.ts';

const oddValues = [
  ...[null, true, false, [], {}, [''], { id: 1 }],
  ...['', 'text', ' ', '0', 'true', 'null', '\ud800', 'pending', 'gov_portal'],
  ...[0, -0, 1, -1, 1.5, 1e-7, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e308, Infinity, -Infinity],
  ...['11222333000181', '12ABC34501DE35', '12abc34501de35', '52998224725', '52998224725\n', '5299822472'],
  ...['2026-02-28', '2026-02-29', '2028-02-29', '2026-2-28', '2026-02-28 ', '0000-01-01', '2026-13-01'],
  ...['2026-02-28T10:00:00Z', '2026-02-28T10:00Z', '2026-02-28T10:00:00', '2026-02-29T10:00:00Z'],
  ...['2026-02-28T24:00:00Z', '2026-02-28T23:59:60Z', '2026-02-28T10:00:00.1234567891Z'],
] as const satisfies readonly JsonValue[];

function kindContract(kind: string): KindContract {
  const found = specification.find('default', kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  return found;
}

describe.each(eventKinds)('%s', (kind) => {
  const { data } = fixture(kind);
  const fields = placedFields(kind);
  const { schema } = catalogue[kind];
  const contract = kindContract(kind);

  function agree(payload: unknown): void {
    const { success } = schema.safeParse(payload);
    expect(contract.isValid(payload), JSON.stringify(payload)).toBe(success);
    const listed = success && contract.unknownValues(payload as JsonValue).length === 0;
    expect(contract.isKnown(payload), JSON.stringify(payload)).toBe(listed);
  }

  it('accepts its fixture', () => {
    expect(contract.isKnown(data)).toBe(true);
  });

  it('agrees on every field removed or replaced by any value', () => {
    for (const { path } of fields) {
      agree(without(data, path));
      for (const value of oddValues) agree(withValue(data, path, value));
    }
  });

  it('agrees on unknown fields', () => {
    for (const name of ['added_later', '__proto__', 'constructor', 'toString'])
      for (const value of oddValues) agree(withOwn(data, name, value));
    const [first] = fields;
    if (first === undefined) throw new Error('no fields');
    for (const value of oddValues)
      agree(withOwn(without(data, first.path), '__proto__', { [first.field.name]: value }));
  });

  it('agrees on values that are not objects', () => {
    for (const value of oddValues) agree(value);
  });

  it('agrees on any JSON, and on any JSON in place of any of its fields', () => {
    const place = fc.constantFrom(...fields.map(({ path }) => path));
    const changes = fc.array(fc.tuple(place, fc.oneof(fc.constantFrom(...oddValues), fc.jsonValue())), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(changes, fc.jsonValue(), (changed, any) => {
        agree(any);
        agree(changed.reduce((left, [path, value]) => withValue(left, path, value as JsonValue), data));
      }),
    );
  });
});

/** Sets an own member, also one named `__proto__`, as JSON.parse does. */
function withOwn(data: JsonObject, name: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(data), [name, value]]);
}
