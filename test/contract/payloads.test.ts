/** Which payloads each kind accepts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogue, eventKinds, type EventKind } from '../../src/contract/catalogue.ts';
import { payloadSchema } from '../../src/contract/json-schema.ts';
import type { KindContract } from '../../src/contract/kind-contract.ts';
import { specification } from '../../src/contract/specification.ts';
import type { JsonObject, JsonValue } from '../../src/kernel/json/json.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import {
  issuesOf,
  placedFields,
  without,
  withValue,
  type PlacedField,
} from '../support/webhooks/payload-fields.ts';

const oneOfEachType: Readonly<Record<string, JsonValue>> = {
  string: 'text',
  number: 7,
  boolean: true,
  array: [],
  object: {},
};

describe.each(eventKinds)('%s', (kind) => {
  const { data } = fixture(kind);
  const fields = placedFields(kind);
  const required = fields.filter(({ field }) => field.required);
  const optional = fields.filter(({ field }) => !field.required);

  it('requires only the fields that identify the record or name its state', () => {
    for (const { path } of optional) {
      expect(issuesOf(kind, without(data, path)), `without ${path.join('.')}`).toEqual([]);
      expect(issuesOf(kind, withValue(data, path, null)), `null ${path.join('.')}`).toEqual([]);
    }
  });

  it('accepts any combination of absent and null optional fields', () => {
    const fate = fc.constantFrom('kept', 'absent', 'null');
    fc.assert(
      fc.property(fc.array(fate, { minLength: optional.length, maxLength: optional.length }), (fates) => {
        const payload = optional.reduce((left, { path }, index) => {
          if (fates[index] === 'absent') return without(left, path);
          return fates[index] === 'null' ? withValue(left, path, null) : left;
        }, data);
        expect(issuesOf(kind, payload)).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  it('names a required field that is missing or null', () => {
    for (const { path, field } of required) {
      expect(issuesOf(kind, without(data, path))).toEqual([
        expect.stringMatching(new RegExp(`^${field.name}: is required: expected .+`)),
      ]);
    }
    for (const { path, field } of required.filter((each) => !each.field.nullable)) {
      expect(issuesOf(kind, withValue(data, path, null))).toEqual([
        expect.stringMatching(new RegExp(`^${field.name}: expected .+, received null$`)),
      ]);
    }
  });

  it('names a field of the wrong type, with the expected and the received type', () => {
    for (const placed of fields) {
      for (const [type, value] of Object.entries(oneOfEachType)) {
        if (typesOf(kind, placed).includes(type)) continue;
        const article = /^[aeiou]/.test(type) ? 'an' : 'a';
        expect(issuesOf(kind, withValue(data, placed.path, value))).toEqual([
          expect.stringMatching(
            new RegExp(`^${placed.path.join('\\.')}: expected .+, received ${article} ${type}$`),
          ),
        ]);
      }
    }
  });

  it('keeps unknown fields at every level', () => {
    const levels = [[], ...fields.filter(({ field }) => field.fields.size > 0).map(({ path }) => path)];
    const payload = levels.reduce(
      (filled, path) => withValue(filled, [...path, 'added_later'], { deep: [1, null] }),
      data,
    );
    expect(catalogue[kind].schema.parse(payload)).toEqual(payload);
  });

  it.each([null, [], 'text', 7, true])('rejects %j, which is not an object', (payload) => {
    expect(issuesOf(kind, payload)).toEqual([expect.stringMatching(/^: expected an object, received /)]);
  });
});

describe('the required fields', () => {
  const expected: readonly (readonly [string, readonly string[]])[] = [
    ['company.', ['id']],
    ['company.login.connected', ['id', 'connected', 'step']],
    ['user.login.disconnected', ['id', 'connected', 'step']],
    ['company.login.started', ['id', 'connected', 'step', 'attempt']],
    ['company.login.failed', ['id', 'connected', 'step', 'attempt']],
    ['user.login.succeeded', ['id', 'connected', 'step', 'attempt']],
    ['console-user.deleted', ['id']],
    ['antt-violation.created', ['id', 'type', 'status']],
    ['antt-violation.ticket.created', ['id', 'status']],
    ['traffic-violation.created', ['id', 'status']],
    ['traffic-violation.ticket.updated', ['id', 'status']],
    ['traffic-violation.indication.updated', ['id', 'status']],
    ['charge.updated', ['id', 'type', 'status']],
    ['charge.payment-slip.created', ['id', 'status']],
  ];

  it.each(expected)('%s: %j', (start, names) => {
    const kind = eventKinds.find((candidate) => candidate.startsWith(start)) ?? 'company.created';
    const required = placedFields(kind).filter(({ field }) => field.required);
    expect(required.map(({ path }) => path.join('.'))).toEqual(names);
  });
});

/** The JSON types that the generated JSON Schema allows for a field. */
function typesOf(kind: EventKind, { path }: PlacedField): readonly string[] {
  let schema = payloadSchema(specification.find('default', kind) as KindContract, 'draft-2020-12');
  for (const name of path) schema = (schema['properties'] as JsonObject)[name] as JsonObject;
  const types = [schema['type'] as string | string[]].flat();
  return types.map((type) => (type === 'integer' ? 'number' : type));
}
