/** Whatever a sender puts in a body, it is answered and kept: no content is a failure of ours. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPortaria, type Portaria } from '../../src/compose.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { eventKinds, type EventKind } from '../../src/contract/catalogue.ts';
import type { JsonObject } from '../../src/kernel/json/json.ts';
import { fixture } from '../support/fixtures.ts';

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

/** Answered by its content, and found again under the id of the answer. */
async function assertKept(body: string | Uint8Array): Promise<void> {
  const { status, id } = await post(body);
  expect([200, 202, 400, 422]).toContain(status);
  const kept =
    status === 400 || status === 422
      ? (await portaria.store.quarantinedDelivery(id))?.body
      : (await portaria.store.event(id))?.body;
  expect(kept).toBeDefined();
  // A repeat is counted on the first, whose bytes may be others.
  if (status !== 200) expect(Buffer.from(kept ?? []).equals(Buffer.from(body as string))).toBe(true);
}

/** What JSON can hold and programs rather not; one value a line. */
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

describe('kept and answered without a failure', () => {
  test('any bytes', async () => {
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), assertKept), { numRuns: 100 });
  });

  test('any data of any kind', async () => {
    await fc.assert(
      fc.asyncProperty(anyKind, hostile, (kind, data) => assertKept(`{"type":"${kind}","data":${data}}`)),
      { numRuns: 100 },
    );
  });

  test('a hostile value in any field of any kind', async () => {
    await fc.assert(
      fc.asyncProperty(anyKind, fc.nat(), hostile, async (kind, place, value) => {
        const { data } = fixture(kind);
        const fields = Object.keys(data);
        const field = fields[place % fields.length] ?? 'id';
        await assertKept(`{"type":"${kind}","data":${withValue(data, field, value)}}`);
      }),
      { numRuns: 300 },
    );
  });

  test('any name of a kind', async () => {
    const name = fc.oneof(fc.string({ unit: 'binary', maxLength: 220 }), hostile);
    await fc.assert(
      fc.asyncProperty(name, hostile, (type, data) =>
        assertKept(`{"type":${JSON.stringify(type)},"data":${data}}`),
      ),
      { numRuns: 150 },
    );
  });

  test('a hostile id of a kind that the contract does not know', async () => {
    await fc.assert(
      fc.asyncProperty(hostile, (id) => assertKept(`{"type":"any.thing","data":{"id":${id}}}`)),
      { numRuns: 100 },
    );
  });
});

/** JSON text of `data` with `value`, itself JSON text, as its last word on `field`. */
function withValue(data: JsonObject, field: string, value: string): string {
  return `${JSON.stringify(data).slice(0, -1)},${JSON.stringify(field)}:${value}}`;
}
