/** The stream of a first import from a real provider, over connections that can be cut. */
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import type { StreamEventOf } from '../../src/client/client.ts';
import type { companyEndpoints } from '../../src/contract/api/company-endpoints.ts';
import { listening } from '../../provider/test/kit/listening.ts';
import { eventually } from '../support/eventually.ts';
import { company, cpfs } from '../../provider/test/kit/people.ts';
import { openWithScenario } from '../../provider/test/kit/scenario-setup.ts';
import { openCutConnection } from './cut-connection.ts';

type SyncEvent = StreamEventOf<(typeof companyEndpoints.sync)['stream']>;

/** Longer than any step of an import. */
const STEP_MS = 600;

/** Opens a provider where company 1 has just signed in for the first time, and a client of it. */
async function openImporting() {
  const setup = await openWithScenario();
  const { app, ours, provider } = setup;
  const { port, close } = await listening(app);
  const stop = () => {
    provider.beginClosing();
    return close(5_000);
  };
  onTestFinished(stop);
  const connection = await openCutConnection(port);
  const client = createClient({
    url: connection.url,
    apiKey: ours.key,
    retry: { attempts: 100, baseMs: 1, maxMs: 20 },
  });
  await client.companies.create({ ...company, login_username: cpfs[0] });
  await setup.untilImport(1);
  const isOver = async () => (await ours.get('/v1/companies/1/sync/snapshot')).status === 404;
  return {
    ...setup,
    stop,
    connection,
    client,
    isOver,
    /** Runs the import to its end. */
    async finish() {
      while (!(await isOver())) await setup.pass(STEP_MS);
    },
    outcome: async () =>
      (await provider.query.selectFrom('company_imports').select('outcome').executeTakeFirstOrThrow())
        .outcome,
  };
}

/** Reads a stream in the background. */
function follow(events: AsyncIterable<SyncEvent>, pause: (received: readonly SyncEvent[]) => Promise<void>) {
  const received: SyncEvent[] = [];
  const ended = (async () => {
    for await (const event of events) {
      received.push(event);
      await pause(received);
    }
  })();
  // The stream may fail before a test awaits it.
  ended.catch(() => undefined);
  return { received, ended };
}
const noPause = () => Promise.resolve();

const completed = (received: readonly SyncEvent[]) =>
  received.flatMap((one) => (one.event === 'progress' ? [one.data.totals.completed] : []));

test('the stream yields every progress, and then the outcome', async () => {
  const { client, finish, outcome, pass } = await openImporting();
  const { received, ended } = follow(client.companies.sync.stream(1), noPause);
  await eventually('the first progress arrives', () => received.length === 1);

  for (let steps = 1; steps <= 3; steps += 1) {
    await pass(STEP_MS);
    await eventually('another progress arrives', () => received.length > steps);
  }
  await finish();
  await ended;

  const counts = completed(received);
  expect(counts).toEqual([...new Set(counts)].sort((one, other) => one - other));
  expect(received.at(-2)).toMatchObject({ event: 'progress', data: { totals: { remaining: 0 } } });
  expect(received.at(-1)).toEqual({ event: 'done', data: { status: await outcome() } });
});

test('a cut connection is replaced, and the stream continues', async () => {
  const { client, finish, connection, pass, outcome } = await openImporting();
  const { received, ended } = follow(client.companies.sync.stream(1), noPause);
  await eventually('the first progress arrives', () => received.length > 0);

  for (let cuts = 1; cuts <= 3; cuts += 1) {
    const before = connection.made();
    connection.cut();
    await eventually('the client has reconnected', () => connection.made() > before && connection.open() > 0);
    const known = received.length;
    await pass(STEP_MS);
    await eventually('the stream continues', () => received.length > known);
  }
  await finish();
  await ended;

  expect(received.at(-1)).toEqual({ event: 'done', data: { status: await outcome() } });
  const counts = completed(received);
  expect(counts).toEqual([...counts].sort((one, other) => one - other));
});

test('an import that ends while the client is disconnected ends the iteration', async () => {
  const { client, finish, connection } = await openImporting();
  const { received, ended } = follow(client.companies.sync.stream(1), noPause);
  await eventually('the first progress arrives', () => received.length > 0);

  connection.block(true);
  connection.cut();
  await finish();
  connection.block(false);
  await ended;

  expect(received.map(({ event }) => event)).not.toContain('done');
});

test('clients that keep reconnecting do not keep a provider from stopping', async () => {
  const { stop, connection, ours } = await openImporting();
  const client = createClient({ url: connection.url, apiKey: ours.key, retry: { attempts: 3, baseMs: 1 } });
  const streams = [1, 2, 3].map(() => follow(client.companies.sync.stream(1), noPause));
  await eventually('the first progress arrives', () => streams.every(({ received }) => received.length > 0));

  await stop();

  for (const { ended } of streams)
    await expect(ended).rejects.toMatchObject({ code: 'unreachable', operation: 'streamSync' });
});
