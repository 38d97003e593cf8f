/** Bodies that no honest sender would send, over the wire: answered as the rules say, never with a 5xx, and kept byte for byte. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventKinds } from '../../../src/contract/catalogue.ts';
import { fixture } from '../../support/fixtures.ts';
import { portaria } from '../../support/running-portaria.ts';
import { draws, seedOfRun } from '../kit/seed.ts';
import { startTarget } from '../kit/target.ts';
import { hostileBodies } from './corpus/bodies.ts';
import { fateOf } from './corpus/fate.ts';
import { drawnSyntax, syntaxCases, truncations } from './corpus/syntax.ts';

test('JSON, nearly JSON, and what is none: taken or refused as JSON.parse and the written rules say', async () => {
  const seed = seedOfRun();
  const { take, takeAll, close } = await startTarget();
  const cases = [...syntaxCases, ...truncations(), ...drawnSyntax(draws(seed), 2_000)];
  const bodies = cases.map(([, body]) => body);

  const answers = await takeAll(bodies);
  const again = await takeAll(bodies);

  const wrong = cases
    .map(([name, body], at) => ({ name, expected: fateOf(body), status: answers[at]?.status }))
    .filter(({ expected, status }) => status !== expected);
  expect(wrong).toEqual([]);
  // What is sent again is counted on the first, an event or an entry of the quarantine.
  const apart = cases
    .map(([name], at) => ({ name, first: answers[at], again: again[at] }))
    .filter(
      ({ first, again }) => first?.id !== again?.id || (first?.status === 202) !== (again?.status === 200),
    );
  expect(apart).toEqual([]);
  expect((await take('{"type":"honest.made","data":{}}')).status).toBe(202);
  expect(new Set(bodies.map(fateOf))).toEqual(new Set([202, 400, 422]));
  await close('hostile json, syntax', { cases: cases.length, seed });
});

test('what JSON can hold and programs rather not', async () => {
  const { env, take, close } = await startTarget();

  const answers: unknown[] = [];
  for (const [name, , body] of hostileBodies) answers.push([name, (await take(body)).status]);

  expect(answers).toEqual(hostileBodies.map(([name, status]) => [name, status]));
  for (const list of [
    ['events', 'list'],
    ['quarantine', 'list'],
    ['subjects', 'show', 'charge:1'],
    ['stats'],
  ])
    expect(await portaria([...list, '--json'], env)).toMatchObject({ code: 0, err: '' });
  await close('hostile json, contents');
});

test('an envelope with any one bit or byte flipped', async () => {
  const { take, takeAll, close } = await startTarget();
  const envelope = Buffer.from(JSON.stringify(fixture('company.login.failed')));
  await take(envelope);

  const masks = [0xff, 1, 2, 4, 8, 16, 32, 64, 128];
  await takeAll(Array.from(envelope, (_, at) => masks.map((mask) => flip(envelope, at, mask))).flat());

  await close('hostile json, flipped', { envelopeBytes: envelope.length });
});

test('any bytes at all, and any JSON in any field', async () => {
  const { take, close } = await startTarget();
  const seed = seedOfRun();
  const options = { seed, numRuns: 250 };

  /** Another may have said the same before. */
  async function takeAsJudged(body: string | Uint8Array): Promise<void> {
    const fate = fateOf(body);
    expect(fate === 202 ? [200, 202] : [fate]).toContain((await take(body)).status);
  }
  await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), takeAsJudged), options);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...eventKinds), fc.nat(), fc.json(), async (kind, place, value) => {
      const { data } = fixture(kind);
      const fields = Object.keys(data);
      const field = fields[place % fields.length] ?? 'id';
      await take(`{"type":"${kind}","data":${JSON.stringify(data).slice(0, -1)},"${field}":${value}}}`);
    }),
    options,
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 250 }), fc.json(), (type, data) =>
      takeAsJudged(`{"type":${JSON.stringify(type)},"data":${data}}`),
    ),
    options,
  );

  await close('hostile json, arbitrary', { seed });
});

function flip(body: Uint8Array, at: number, mask: number): Uint8Array {
  return body.map((byte, place) => (place === at ? byte ^ mask : byte));
}
