/** The stream of a first import as the provider itself sends it, over sockets that can be cut. */
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import type { StreamEventOf } from '../../src/client/operation.ts';
import type { companyEndpoints } from '../../src/contract/api/company-endpoints.ts';
import { listenProvider } from '../../provider/http/listen-provider.ts';
import { eventually } from '../support/eventually.ts';
import { company, cpfs } from '../../provider/test/people.ts';
import { openScenarioWorld } from '../../provider/test/scenario-world.ts';
import { collected, rejection } from './client-world.ts';
import { openCutConnection } from './cut-connection.ts';

type Told = StreamEventOf<(typeof companyEndpoints)['streamSync']>;

/** Longer than any step of an import takes. */
const STEP_MS = 600;

/** A provider in which company 1 has just signed in for the first time, and a client of it. */
async function openImporting() {
  const world = await openScenarioWorld();
  const { app, ours, provider, pass } = world;
  const { port, close } = await listenProvider(app, '127.0.0.1', 0);
  const stop = () => {
    provider.beginClosing();
    return close();
  };
  onTestFinished(stop);
  const connection = await openCutConnection(port);
  const client = createClient({
    url: connection.url,
    apiKey: ours.key,
    retry: { attempts: 100, baseMs: 1, maxMs: 20 },
  });
  await client.companies.create({ ...company, login_username: cpfs[0] });
  await eventually('an import runs', async () => {
    await pass(STEP_MS);
    return (await ours.get('/v1/companies/1/sync/snapshot')).status === 200;
  });
  const isOver = async () => (await ours.get('/v1/companies/1/sync/snapshot')).status === 404;
  return {
    ...world,
    stop,
    connection,
    client,
    isOver,
    /** Lets the import go on to its end. */
    async finish() {
      await eventually('the import is over', async () => {
        await pass(STEP_MS);
        return isOver();
      });
    },
    outcome: async () =>
      (await provider.query.selectFrom('company_imports').select('outcome').executeTakeFirstOrThrow())
        .outcome,
  };
}

/** Reads a stream in the background. */
function following(events: AsyncIterable<Told>, pause: (told: readonly Told[]) => Promise<void>) {
  const told: Told[] = [];
  const ended = (async () => {
    for await (const event of events) {
      told.push(event);
      await pause(told);
    }
  })();
  // It may end before anybody waits for that.
  ended.catch(() => undefined);
  return { told, ended };
}
const atOnce = () => Promise.resolve();

const completed = (told: readonly Told[]) =>
  told.flatMap((one) => (one.event === 'progress' ? [one.data.totals.completed] : []));

test('every progress, and at last how it ended', async () => {
  const { client, finish, outcome, pass } = await openImporting();
  const { told, ended } = following(client.companies.streamSync(1), atOnce);
  await eventually('where it stands', () => told.length === 1);

  for (let steps = 1; steps <= 3; steps += 1) {
    await pass(STEP_MS);
    await eventually('one more progress', () => told.length > steps);
  }
  await finish();
  await ended;

  const counts = completed(told);
  expect(counts).toEqual([...new Set(counts)].sort((one, other) => one - other));
  expect(told.at(-2)).toMatchObject({ event: 'progress', data: { totals: { remaining: 0 } } });
  expect(told.at(-1)).toEqual({ event: 'done', data: { status: await outcome() } });
});

test('a connection that is cut in the middle is made anew, and the rest is told', async () => {
  const { client, finish, connection, pass, outcome } = await openImporting();
  const { told, ended } = following(client.companies.streamSync(1), atOnce);
  await eventually('where it stands', () => told.length > 0);

  for (let cuts = 1; cuts <= 3; cuts += 1) {
    const before = connection.made();
    connection.cut();
    await eventually('it is back', () => connection.made() > before && connection.open() > 0);
    const known = told.length;
    await pass(STEP_MS);
    await eventually('it goes on', () => told.length > known);
  }
  await finish();
  await ended;

  expect(told.at(-1)).toEqual({ event: 'done', data: { status: await outcome() } });
  const counts = completed(told);
  expect(counts).toEqual([...counts].sort((one, other) => one - other));
});

test('an import that ends while the connection is gone ends the iteration', async () => {
  const { client, finish, connection } = await openImporting();
  const { told, ended } = following(client.companies.streamSync(1), atOnce);
  await eventually('where it stands', () => told.length > 0);

  connection.block(true);
  connection.cut();
  await finish();
  connection.block(false);
  await ended;

  expect(told.map(({ event }) => event)).not.toContain('done');
});

test('before an import, and after it, there is no stream', async () => {
  const { client, finish } = await openImporting();
  const { id } = await client.companies.create({ ...company, tax_id: '12ABC34501DE35' });
  await finish();

  for (const [company, detail] of [
    [id, `No active sync for company ${String(id)}`],
    [1, 'No active sync for company 1'],
    [77, 'Company with id 77 not found'],
  ] as const)
    expect(await rejection(collected(client.companies.streamSync(company)))).toMatchObject({
      code: 'not-found',
      status: 404,
      label: 'Not Found',
      detail,
    });
  expect(await rejection(client.companies.readSync(1))).toMatchObject({ code: 'not-found' });
});

test('a signal ends it with its reason, and the connection with it', async () => {
  const { client, connection } = await openImporting();
  const controller = new AbortController();
  const { told, ended } = following(client.companies.streamSync(1, { signal: controller.signal }), atOnce);
  await eventually('where it stands', () => told.length > 0);
  const others = connection.open() - 1;

  const reason = new Error('seen enough');
  controller.abort(reason);

  await expect(ended).rejects.toBe(reason);
  await eventually('the connection is closed', () => connection.open() <= others);
});

test('who stops reading closes the connection', async () => {
  const { client, connection } = await openImporting();
  let whileReading = 0;

  for await (const { event } of client.companies.streamSync(1)) {
    expect(event).toBe('progress');
    whileReading = connection.open();
    break;
  }

  await eventually('the connection is closed', () => connection.open() < whileReading);
});

test('a slow reader is told everything that was sent, in order, to the end', async () => {
  const { client, finish, isOver, outcome } = await openImporting();
  const { promise: rest, resolve: goOn } = Promise.withResolvers<void>();
  const { told, ended } = following(client.companies.streamSync(1), () => rest);
  await eventually('where it stands', () => told.length === 1);

  await finish();
  expect(await isOver()).toBe(true);
  expect(told).toHaveLength(1);
  goOn();
  await ended;

  const counts = completed(told);
  expect(counts.length).toBeGreaterThan(1);
  expect(counts).toEqual([...new Set(counts)].sort((one, other) => one - other));
  expect(told.at(-1)).toEqual({ event: 'done', data: { status: await outcome() } });
});

test('readers who come again and again do not keep a provider from stopping', async () => {
  const { stop, connection, ours } = await openImporting();
  const client = createClient({ url: connection.url, apiKey: ours.key, retry: { attempts: 3, baseMs: 1 } });
  const streams = [1, 2, 3].map(() => following(client.companies.streamSync(1), atOnce));
  await eventually('where it stands', () => streams.every(({ told }) => told.length > 0));

  await stop();

  for (const { ended } of streams)
    await expect(ended).rejects.toMatchObject({ code: 'unreachable', operation: 'streamSync' });
});
