/** Bodies that no honest sender would send, over the wire: always answered, never with a 5xx, and kept byte for byte. */
import { Agent } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventKinds } from '../../src/contract/catalogue.ts';
import { fixture } from '../support/fixtures.ts';
import { portaria, serve } from '../support/running-portaria.ts';
import { recording, workshop } from '../support/workshop.ts';
import { printFigures } from './kit/figures.ts';
import { hostileBodies } from './kit/hostile-bodies.ts';
import { readBeside, wrongWith } from './kit/kept.ts';
import { poster, type Body } from './kit/poster.ts';
import { seedOfRun } from './kit/seed.ts';
import { allHandled } from './kit/statistics.ts';

/** In milliseconds, on however busy a machine: what takes long holds up everybody else for as long. */
const SLOWEST_MS = 5_000;
const CONNECTIONS = 32;

/** A running Portaria whose handler looks at all it gets, and for damage done to the process. */
async function target() {
  const place = workshop();
  place.writeHandler(
    'looks.ts',
    `${recording(place)}
    export default defineHandler({
      name: 'looks',
      on: '*',
      stale: true,
      retry: { attempts: 1 },
      breaker: { failures: 100_000 },
      handle(event) {
        JSON.stringify(event);
        const plain: Record<string, unknown> = {};
        if ('polluted' in plain || Object.getPrototypeOf(event.data ?? 0)?.polluted !== undefined)
          throw new Error('a prototype was polluted');
      },
    });`,
  );
  const env = {
    PORTARIA_DATABASE: place.database,
    PORTARIA_HANDLERS: place.handlers,
    PORTARIA_MAX_BODY: '2097152',
  };
  const running = await serve(env);
  const store = await readBeside(place.database);
  const post = poster(running.url, new Agent({ keepAlive: true, maxSockets: CONNECTIONS }));
  const answered = { bodies: 0, slowestMs: 0, statuses: new Map<number, number>() };

  return {
    env,
    /** Posts it and checks the answer against the store; the answer's status. */
    async take(body: Body): Promise<number> {
      const answer = await post(body);
      answered.bodies += 1;
      answered.slowestMs = Math.max(answered.slowestMs, answer.ms);
      answered.statuses.set(answer.status, (answered.statuses.get(answer.status) ?? 0) + 1);
      const wrong = await wrongWith(store, body, answer);
      if (wrong !== undefined) throw new Error(wrong);
      return answer.status;
    },
    /** All was handled, nothing 5xx, and it still takes an honest webhook. */
    async close(what: string, figures: Readonly<Record<string, number>> = {}): Promise<void> {
      const { dead, succeeded } = (await allHandled(running)).deliveries;
      expect(dead).toBe(0);
      expect((await post(JSON.stringify(fixture('charge.created')))).status).toBeLessThan(203);
      const { bodies, slowestMs, statuses } = answered;
      expect(slowestMs).toBeLessThan(SLOWEST_MS);
      const byStatus = [...statuses]
        .sort()
        .map(([status, count]) => [`answered${String(status)}`, count] as const);
      printFigures(what, {
        ...figures,
        bodies,
        ...Object.fromEntries(byStatus),
        handled: succeeded,
        dead,
        slowestMs: Math.round(slowestMs),
      });
    },
  };
}

test('what JSON can hold and programs rather not', async () => {
  const { env, take, close } = await target();

  const answers: unknown[] = [];
  for (const [name, , body] of hostileBodies) answers.push([name, await take(body)]);

  expect(answers).toEqual(hostileBodies.map(([name, status]) => [name, status]));
  for (const list of [
    ['events', 'list'],
    ['quarantine', 'list'],
    ['subjects', 'show', 'charge:1'],
    ['stats'],
  ])
    expect(await portaria([...list, '--json'], env)).toMatchObject({ code: 0, err: '' });
  await close('hostile JSON');
});

test('an envelope with any one bit or byte flipped', async () => {
  const { take, close } = await target();
  const envelope = Buffer.from(JSON.stringify(fixture('company.login.failed')));
  await take(envelope);

  const masks = [0xff, 1, 2, 4, 8, 16, 32, 64, 128];
  const flipped = Array.from(envelope, (_, at) => masks.map((mask) => flip(envelope, at, mask))).flat();
  for (let at = 0; at < flipped.length; at += CONNECTIONS)
    await Promise.all(flipped.slice(at, at + CONNECTIONS).map((body) => take(body)));

  await close('flipped envelopes', { envelopeBytes: envelope.length });
});

test('any bytes at all, and any JSON in any field', async () => {
  const { take, close } = await target();
  const seed = seedOfRun();
  const options = { seed, numRuns: 250 };

  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (body) => void (await take(body))),
    options,
  );
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
    fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 250 }), fc.json(), async (type, data) => {
      await take(`{"type":${JSON.stringify(type)},"data":${data}}`);
    }),
    options,
  );

  await close('arbitrary bytes and JSON', { seed });
});

function flip(body: Uint8Array, at: number, mask: number): Uint8Array {
  return body.map((byte, place) => (place === at ? byte ^ mask : byte));
}
