/** Any body gets a response and is stored: no content makes Portaria fail. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPortaria, type Portaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { eventKinds, type EventKind } from '../../src/contract/catalogue.ts';
import type { JsonObject } from '../../src/kernel/json/json.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { propertyRuns } from '../support/property-runs.ts';

let portaria: Portaria;

beforeAll(async () => {
  const env = {
    PORTARIA_DATABASE: ':memory:',
    PORTARIA_PORT: '0',
    PORTARIA_OPS_PORT: '0',
    PORTARIA_LOG_LEVEL: 'silent',
  };
  portaria = await createPortaria({ config: loadConfig(env, '/'), handlers: [] });
});
afterAll(() => portaria.stop());

async function post(body: string | Uint8Array): Promise<{ status: number; id: string }> {
  const response = await portaria.app.request('/webhooks', { method: 'POST', body });
  const { id } = (await response.json()) as { id: string };
  return { status: response.status, id };
}

/** Asserts that a body gets a 2xx, 400 or 422, and is stored under the id of the response. */
async function assertStored(body: string | Uint8Array): Promise<void> {
  const { status, id } = await post(body);
  expect([200, 202, 400, 422]).toContain(status);
  const stored =
    status === 400 || status === 422
      ? (await portaria.store.quarantinedDelivery(id))?.body
      : (await portaria.store.event(id))?.body;
  expect(stored).toBeDefined();
  // A repeat is counted on the first event, whose bytes may differ.
  if (status !== 200) expect(Buffer.from(stored ?? []).equals(Buffer.from(body as string))).toBe(true);
}

/** Valid JSON values that programs often mishandle, one per line. */
const values = String.raw`
null
true
-0
1e400
-1e400
1e-400
9007199254740993
12.5
""
"\u0000"
"\ud800"
"\udc00\ud800"
"\u202e"
{}
[]
{"__proto__":{"id":1}}
{"constructor":null}
{"id":{"id":[]}}
"2026-02-30T25:61:00Z"
"9999-12-31T23:59:60+14:00"
"0000-01-01T00:00:00Z"
"'; drop table events; --"
"=cmd|calc"
"<script>"
`;
const long = JSON.stringify('x'.repeat(5_000));
const hostile = fc.oneof(fc.constantFrom(long, ...values.trim().split('\n')), fc.json({ maxDepth: 3 }));

const anyKind = fc.constantFrom<EventKind>(...eventKinds);

describe('a response and a stored body for', () => {
  test('any bytes', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), assertStored), {
      numRuns: propertyRuns(100),
    });
  });

  test('any data of any kind', async () => {
    await fc.assert(
      fc.asyncProperty(anyKind, hostile, (kind, data) => assertStored(`{"type":"${kind}","data":${data}}`)),
      { numRuns: propertyRuns(100) },
    );
  });

  test('a hostile value in any field of any kind', async () => {
    await fc.assert(
      fc.asyncProperty(anyKind, fc.nat(), hostile, async (kind, place, value) => {
        const { data } = fixture(kind);
        const fields = Object.keys(data);
        const field = fields[place % fields.length] ?? 'id';
        await assertStored(`{"type":"${kind}","data":${withValue(data, field, value)}}`);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  test('any name of a kind', async () => {
    const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 220 }), hostile);
    await fc.assert(
      fc.asyncProperty(name, hostile, (type, data) =>
        assertStored(`{"type":${JSON.stringify(type)},"data":${data}}`),
      ),
      { numRuns: propertyRuns(150) },
    );
  });

  test('a hostile id of a kind outside the contract', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, (id) => assertStored(`{"type":"any.thing","data":{"id":${id}}}`)),
      { numRuns: propertyRuns(100) },
    );
  });
});

/** JSON of `data` with a second `field`, whose JSON value is `value`. */
function withValue(data: JsonObject, field: string, value: string): string {
  return `${JSON.stringify(data).slice(0, -1)},${JSON.stringify(field)}:${value}}`;
}
