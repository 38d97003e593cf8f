import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import * as formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { asyncApiDocument } from '../../src/contract/asyncapi.ts';
import { catalogue, eventKinds } from '../../src/contract/catalogue.ts';
import { specification as contract } from '../../src/contract/specification.ts';
import type { JsonObject } from '../../src/kernel/json/json.ts';
import { fixture } from '../support/webhooks/fixtures.ts';

const specification = createRequire(import.meta.url)(
  '@asyncapi/specs/schemas/3.0.0-without-$id.json',
) as object;
const examples = Object.fromEntries(eventKinds.map((kind) => [kind, [{ ...fixture(kind) }]]));

describe('the AsyncAPI document', () => {
  const ajv = new Ajv({ strict: false, logger: false, validateFormats: false });
  const isAsyncApi = ajv.compile(specification);

  it('is AsyncAPI 3.0, with examples and without', () => {
    expect(
      isAsyncApi(asyncApiDocument(contract, { version: '1.2.3' })),
      JSON.stringify(isAsyncApi.errors),
    ).toBe(true);
    expect(
      isAsyncApi(
        asyncApiDocument(contract, { version: '1.2.3', examples: ({ kind }) => examples[kind] ?? [] }),
      ),
      JSON.stringify(isAsyncApi.errors),
    ).toBe(true);
  });

  it('is checked by a validator that rejects an invalid document', () => {
    const document = asyncApiDocument(contract, { version: '1.2.3' });
    expect(isAsyncApi({ ...document, operations: { receiveEvent: { action: 'get' } } })).toBe(false);
  });

  it('has one channel, one receive operation, and a message for each kind', () => {
    const document = asyncApiDocument(contract, { version: '1.2.3' });
    const channels = document['channels'] as Record<string, { messages: object }>;
    const operations = document['operations'] as Record<string, { action: string; messages: unknown[] }>;
    expect(Object.keys(channels)).toEqual(['webhooks']);
    expect(Object.keys(channels['webhooks']?.messages ?? {})).toEqual(eventKinds);
    expect(Object.keys(operations)).toEqual(['receiveEvent']);
    expect(operations['receiveEvent']?.action).toBe('receive');
    expect(operations['receiveEvent']?.messages).toHaveLength(eventKinds.length);
  });

  it('contains no dangling reference', () => {
    const document = asyncApiDocument(contract, {
      version: '1.2.3',
      examples: ({ kind }) => examples[kind] ?? [],
    });
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      (match) => match[1] ?? '',
    );
    expect(references.length).toBeGreaterThan(eventKinds.length * 3);
    for (const reference of references) {
      const target = reference.split('/').reduce<unknown>((at, key) => (at as JsonObject)[key], document);
      expect(target, reference).toBeTypeOf('object');
    }
  });

  it.each(eventKinds)('has an example of %s that matches its payload schema', (kind) => {
    const document = asyncApiDocument(contract, {
      version: '1.2.3',
      examples: ({ kind }) => examples[kind] ?? [],
    });
    const validate = new Ajv({ strict: false });
    formats.default.default(validate);
    validate.addSchema(document, 'asyncapi');
    const pointer = `asyncapi#/components/messages/${kind}/payload`;
    const components = document['components'] as { messages: Record<string, { examples: JsonObject[] }> };
    const example = components.messages[kind]?.examples[0]?.['payload'];
    expect(example).toEqual(fixture(kind));
    expect(validate.validate({ $ref: pointer }, example), JSON.stringify(validate.errors)).toBe(true);
    expect(validate.validate({ $ref: pointer }, { type: kind, data: { id: false } })).toBe(false);
    expect(catalogue[kind].kind).toBe(kind);
  });
});
