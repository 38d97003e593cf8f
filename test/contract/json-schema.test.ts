import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { eventKinds } from '../../src/contract/catalogue.ts';
import { contractJsonSchema, kindJsonSchema } from '../../src/contract/json-schema.ts';
import type { KindContract } from '../../src/contract/kind-contract.ts';
import { specification } from '../../src/contract/specification.ts';
import type { JsonObject, JsonValue } from '../../src/kernel/json/json.ts';
import { fixture, scenario, scenarioNames } from '../support/webhooks/fixtures.ts';
import { issuesOf, placedFields, without, withValue } from '../support/webhooks/payload-fields.ts';

/** In strict mode, which rejects unknown keywords and formats. */
function validator(schema: object): (value: unknown) => boolean {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  formats.default.default(ajv);
  ajv.addVocabulary(['x-personal-data', 'x-check-digits', 'x-known-values']);
  return ajv.compile(schema);
}

describe.each(eventKinds)('JSON Schema of %s', (kind) => {
  const schema = kindJsonSchema(specification.find('default', kind) as KindContract);
  const fits = validator(schema);
  const { type, data } = fixture(kind);

  it('accepts the fixture, and unknown fields', () => {
    expect(fits({ type, data })).toBe(true);
    expect(fits({ type, data: { ...data, added_later: 1 }, sent_at: 'now' })).toBe(true);
  });

  it('rejects another type, and anything that is not an envelope', () => {
    expect(fits({ type: `${kind}.x`, data })).toBe(false);
    expect(fits({ type })).toBe(false);
    expect(fits({ data })).toBe(false);
    expect(fits([])).toBe(false);
  });

  it('agrees with the contract on every field absent, null or of another type', () => {
    const values: readonly JsonValue[] = [
      null,
      '',
      'text',
      '2026-11-30',
      -1,
      1.5,
      7,
      true,
      [],
      {},
      { a: 'b' },
    ];
    for (const { path } of placedFields(kind)) {
      for (const payload of [without(data, path), ...values.map((value) => withValue(data, path, value))]) {
        const agreed = issuesOf(kind, payload).length === 0;
        expect(fits({ type, data: payload }), JSON.stringify([path, payload])).toBe(agreed);
      }
    }
  });

  it('describes every field, and marks personal data', () => {
    for (const { path, field } of placedFields(kind)) {
      const described = ['data', ...path].reduce<JsonObject>(
        (at, name) => member(member(at, 'properties'), name),
        schema,
      );
      expect(described['description'], path.join('.')).toMatch(/^\S.*\.$/);
      expect(described['x-personal-data'] === true, path.join('.')).toBe(field.personal);
    }
  });
});

describe('JSON Schema of the contract', () => {
  const fits = validator(contractJsonSchema(specification));

  it('accepts every fixture and scenario', () => {
    const envelopes = [...eventKinds.map(fixture), ...scenarioNames().flatMap(scenario)];
    expect(envelopes.filter((envelope) => !fits(envelope))).toEqual([]);
  });

  it('distinguishes kinds by type', () => {
    expect(fits({ ...fixture('charge.created'), type: 'console-user.created' })).toBe(false);
    expect(fits({ ...fixture('charge.created'), type: 'charge.refunded' })).toBe(false);
  });
});

function member(object: JsonObject, name: string): JsonObject {
  return object[name] as JsonObject;
}
