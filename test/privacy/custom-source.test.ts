/** Erasing a person from the bodies of a source with an envelope of its own. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineSource, type EnvelopeOptions } from '../../src/handle/kinds/source-definition.ts';
import { defineKind } from '../../src/handle/kinds/kind-definition.ts';
import { extendContract } from '../../src/handle/kinds/extend-contract.ts';
import { createIdentify } from '../../src/identify/identify.ts';
import { createParse } from '../../src/parse/parse.ts';
import { createArrivalEraser } from '../../src/privacy/erase-arrival.ts';
import { eraseEnvelope } from '../../src/privacy/erase-payload.ts';
import { parseIdentifier } from '../../src/privacy/identifier.ts';
import { hashIdentifier, personOf } from '../../src/privacy/person.ts';
import { relatedIdentifiers } from '../../src/privacy/related-identifiers.ts';
import type { StoredContent } from '../../src/store/privacy.ts';
import { verifiedDelivery } from '../support/verified-delivery.ts';

const identifier = parseIdentifier('12345678909');
const ana = personOf([identifier]);

const ordered = defineKind('ordered', {
  schema: z.object({
    id: z.string(),
    total: z.number(),
    cpf: z.string().nullish(),
    buyer: z.string().nullish(),
  }),
  personal: ['cpf', 'buyer'],
});

function contractOf(envelope: EnvelopeOptions) {
  const definition = defineSource('shop', {
    envelope,
    kinds: [ordered],
    verify: { scheme: 'none' },
  });
  return extendContract({ kinds: [], sources: [{ definition, file: 'shop.ts' }] });
}

const order = { id: 'o-1', total: 12.5, cpf: '12345678909', buyer: 'Ana' };
const without = { ...order, cpf: null, buyer: null };
const subject = { family: 'ordered', id: 'o-1' };

function erased(envelope: EnvelopeOptions, body: unknown) {
  const about = { source: 'shop', kind: 'ordered', subject };
  const result = eraseEnvelope(JSON.stringify(body), about, ana, contractOf(envelope));
  return result === null ? null : (JSON.parse(result.text) as unknown);
}

const nested: EnvelopeOptions = { type: 'event.name', data: 'event.payload' };

test('a payload at a path loses its personal fields, and keeps the others', () => {
  expect(erased(nested, { event: { name: 'ordered', payload: order }, at: 1 })).toEqual({
    event: { name: 'ordered', payload: without },
    at: 1,
  });
});

test('what stands beside the payload loses the person, and keeps the kind', () => {
  const body = { event: { name: 'ordered', payload: order, by: '123.456.789-09' }, meta: { name: 'x' } };
  expect(erased(nested, body)).toEqual({
    event: { name: 'ordered', payload: without, by: null },
    meta: { name: 'x' },
  });
});

test('a body that is the payload keeps its kind', () => {
  expect(erased({ type: 'kind', data: '' }, { kind: 'ordered', note: 'Ana', ...order })).toEqual({
    kind: 'ordered',
    note: null,
    ...without,
  });
});

test('a kind that a function reads stays', () => {
  const type = (body: unknown) => (body as { meta: { kind: string } }).meta.kind;
  const body = { meta: { kind: 'ordered', user: '12345678909' }, payload: order };
  expect(erased({ type, data: 'payload' }, body)).toEqual({
    meta: { kind: 'ordered', user: null },
    payload: without,
  });
});

test('a payload that a function takes from the body loses its personal fields', () => {
  const data = (body: unknown) => (body as { items: readonly unknown[] }).items[0];
  expect(erased({ type: 'kind', data }, { kind: 'ordered', items: [order, { n: 1 }] })).toEqual({
    kind: 'ordered',
    items: [without, { n: 1 }],
  });
});

test('where a function builds the payload, the identifiers go and everything else stays', () => {
  const data = (body: unknown) => ({ ...(body as { flat: object }).flat });
  const body = { kind: 'ordered', flat: { ...order, note: 'CPF 123.456.789-09 of Ana' } };
  expect(erased({ type: 'kind', data }, body)).toEqual({
    kind: 'ordered',
    flat: { ...order, cpf: '[erased]', note: 'CPF [erased] of Ana' },
  });
});

test('an identifier in the kind itself goes, and the rest of the kind stays', () => {
  const body = { kind: 'ordered.12345678909', payload: { id: 1 } };
  expect(erased({ type: 'kind', data: 'payload' }, body)).toMatchObject({ kind: 'ordered.[erased]' });
});

test('a person is found by the payload of the source, whatever its place', async () => {
  const body = Buffer.from(
    JSON.stringify({ event: { name: 'signed-in', payload: { id: 77, cpf: '12345678909' } } }),
  );
  const content: StoredContent = {
    ...({ place: 'event', row: 1, id: '1', source: 'shop', kind: 'signed-in', at: 0 } as const),
    subject: { family: 'user', id: '77' },
    body,
    texts: {},
  };
  const contents = (_place: string, { after }: { readonly after: number }) =>
    Promise.resolve(after === 0 ? [content] : []);
  const found = await relatedIdentifiers({ contents }, [parseIdentifier('user:77')], contractOf(nested));
  expect(found).toContainEqual({ type: 'cpf', value: '12345678909' });
});

test('an event that is imported after an erasure has the erased payload', async () => {
  const contract = contractOf(nested);
  const key = new Uint8Array(32);
  const eraser = await createArrivalEraser(
    {
      erasures: () =>
        Promise.resolve([
          {
            ...{ id: 'e1', startedAt: 0, finishedAt: 1, requestedBy: 'dpo', reason: 'r', receipt: null },
            identifiers: [hashIdentifier(identifier, key)],
            runs: [],
          },
        ]),
      erasureKey: () => Promise.resolve(key),
    },
    contract,
  );
  const body = JSON.stringify({ event: { name: 'ordered', payload: order } });
  const parsed = createParse(contract)(verifiedDelivery(body, { source: 'shop' }));
  if (parsed.stage !== 'parsed') throw new Error(parsed.message);
  const event = eraser!.event(createIdentify(contract, (id) => id)(parsed));
  expect(event.parsed.data).toEqual(without);
  expect(createParse(contract)(event.parsed.delivery)).toMatchObject({ stage: 'parsed', data: without });
});
