/** Given hostile bodies over HTTP: the response is as documented, never a 5xx, and the body is stored byte for byte. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventKinds } from '../../../src/contract/catalogue.ts';
import { fixture } from '../../support/webhooks/fixtures.ts';
import { portaria } from '../../support/running-portaria.ts';
import { draws, seedOfRun } from '../kit/seed.ts';
import { startTarget } from '../kit/programs/target.ts';
import { hostileBodies } from './corpus/bodies.ts';
import { fateOf } from './corpus/fate.ts';
import { drawnSyntax, syntaxCases, truncations } from './corpus/syntax.ts';

test('accepts or rejects valid, almost valid and invalid JSON as JSON.parse and the documented rules do', async () => {
  const seed = seedOfRun();
  const { post, postAll, close } = await startTarget();
  const cases = [...syntaxCases, ...truncations(), ...drawnSyntax(draws(seed), 1_200)];
  const bodies = cases.map(([, body]) => body);

  const responses = await postAll(bodies);
  const again = await postAll(bodies);

  const wrong = cases
    .map(([name, body], at) => ({ name, expected: fateOf(body), status: responses[at]?.status }))
    .filter(({ expected, status }) => status !== expected);
  expect(wrong).toEqual([]);
  // A repeat gets the id of the first event or quarantine entry.
  const mismatched = cases
    .map(([name], at) => ({ name, first: responses[at], again: again[at] }))
    .filter(
      ({ first, again }) => first?.id !== again?.id || (first?.status === 202) !== (again?.status === 200),
    );
  expect(mismatched).toEqual([]);
  expect((await post('{"type":"valid.made","data":{}}')).status).toBe(202);
  expect(new Set(bodies.map(fateOf))).toEqual(new Set([202, 400, 422]));
  await close('hostile json, syntax', { cases: cases.length, seed });
});

test('accepts or rejects extreme contents as documented', async () => {
  const { env, post, close } = await startTarget();

  const statuses: unknown[] = [];
  for (const [name, , body] of hostileBodies) statuses.push([name, (await post(body)).status]);

  expect(statuses).toEqual(hostileBodies.map(([name, status]) => [name, status]));
  for (const list of [
    ['events', 'list'],
    ['quarantine', 'list'],
    ['subjects', 'show', 'charge:1'],
    ['stats'],
  ])
    expect(await portaria([...list, '--json'], env)).toMatchObject({ code: 0, err: '' });
  await close('hostile json, contents');
});

test('survives an envelope with any one bit or byte flipped', async () => {
  const { post, postAll, close } = await startTarget();
  const envelope = Buffer.from(JSON.stringify(fixture('company.login.failed')));
  await post(envelope);

  const masks = [0xff, 1, 2, 4, 8, 16, 32, 64, 128];
  await postAll(Array.from(envelope, (_, at) => masks.map((mask) => flip(envelope, at, mask))).flat());

  await close('hostile json, flipped', { envelopeBytes: envelope.length });
});

test('survives arbitrary bytes and arbitrary JSON in any field', async () => {
  const { post, close } = await startTarget();
  const seed = seedOfRun();
  const options = { seed, numRuns: 150 };

  /** Posts a body and checks the documented status. A duplicate of an earlier body is possible. */
  async function postAndCheck(body: string | Uint8Array): Promise<void> {
    const fate = fateOf(body);
    expect(fate === 202 ? [200, 202] : [fate]).toContain((await post(body)).status);
  }
  await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), postAndCheck), options);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...eventKinds), fc.nat(), fc.json(), async (kind, place, value) => {
      const { data } = fixture(kind);
      const fields = Object.keys(data);
      const field = fields[place % fields.length] ?? 'id';
      await post(`{"type":"${kind}","data":${JSON.stringify(data).slice(0, -1)},"${field}":${value}}}`);
    }),
    options,
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 250 }), fc.json(), (type, data) =>
      postAndCheck(`{"type":${JSON.stringify(type)},"data":${data}}`),
    ),
    options,
  );

  await close('hostile json, arbitrary', { seed });
});

function flip(body: Uint8Array, at: number, mask: number): Uint8Array {
  return body.map((byte, index) => (index === at ? byte ^ mask : byte));
}
