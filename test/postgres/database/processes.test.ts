/** Several processes on one database: which run, and what each of them knows. */
import { hostname } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import type { HandlerProcess, KnownDefinition } from '../../../src/store/processes.ts';
import type { Store } from '../../../src/store/store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { applicationName } from '../../../src/store/postgres/database/connections/client.ts';
import { postgres, postgresWithOwnSessions } from '../kit/postgres-places.ts';
import { cliEnvironment, violation } from '../../cli/kit/cli-environment.ts';
import { emptyDatabase } from '../kit/empty-database.ts';
import { rawClient } from '../kit/raw-client.ts';
import { openTwoOwners } from '../kit/two-owners.ts';

const processOf = (id: string, version = '1.0.0'): HandlerProcess => ({
  ...{ id, host: hostname(), pid: process.pid, version, startedAt: 1, handlers: [] },
});

const kind = (name: string, hash = 'a'): KnownDefinition => ({
  ...{ type: 'kind', name, source: null, origin: 'kinds.ts', hash },
});

async function openStores() {
  const place = await postgres.place();
  onTestFinished(() => place.remove());
  return {
    async open(role: 'owner' | 'guest' = 'owner'): Promise<Store> {
      const store = await place.open(role, manualClock());
      onTestFinished(() => store.close());
      return store;
    },
  };
}

async function known(store: Store): Promise<readonly string[]> {
  return (await store.knownDefinitions()).map(({ name, hash }) => `${name} ${hash}`);
}

test('a process of earlier handlers that starts again does not hide what a later one knows', async () => {
  const { open } = await openStores();
  const [earlier, later, command] = [await open(), await open(), await open('guest')];
  await earlier.registerProcess(processOf('earlier'), [kind('old')]);
  await later.registerProcess(processOf('later'), [kind('old'), kind('new')]);

  await earlier.unregisterProcess('earlier');
  const again = await open();
  await again.registerProcess(processOf('again'), [kind('old')]);

  expect(await known(command)).toEqual(['new a', 'old a']);
});

test('what no running process knows any more is not known, once those that knew it have ended', async () => {
  const { open } = await openStores();
  const [earlier, later, command] = [await open(), await open(), await open('guest')];
  await earlier.registerProcess(processOf('earlier'), [kind('removed'), kind('kept')]);
  await later.registerProcess(processOf('later'), [kind('kept')]);
  expect(await known(command)).toEqual(['kept a', 'removed a']);

  await earlier.unregisterProcess('earlier');
  expect(await known(command)).toEqual(['kept a']);
  await later.unregisterProcess('later');
  expect(await known(command), 'what the last one knew stays').toEqual(['kept a']);
});

test('while two processes know two forms of a kind, both are known', async () => {
  const { open } = await openStores();
  const [earlier, later, command] = [await open(), await open(), await open('guest')];
  await earlier.registerProcess(processOf('earlier'), [kind('ordered', 'a')]);
  await later.registerProcess(processOf('later'), [kind('ordered', 'b')]);
  expect(await known(command)).toEqual(['ordered a', 'ordered b']);

  await earlier.unregisterProcess('earlier');
  expect(await known(command)).toEqual(['ordered b']);
});

test('after all processes were killed, what they knew together is known', async () => {
  const { open } = await openStores();
  const [first, second, command] = [await open(), await open(), await open('guest')];
  await first.registerProcess(processOf('first'), [kind('one')]);
  await second.registerProcess(processOf('second'), [kind('two')]);
  await (await rawClient(command)).query('delete from leases');

  expect(await command.processes()).toEqual([]);
  expect(await known(command)).toEqual(['one a', 'two a']);
});

test.each([
  ['is not JSON', '{not json'],
  ['is no list', '{}'],
  ['has definitions of a later version', '[{"type":"kind","name":"x.y","newField":1}, null]'],
])('a process whose record %s hides no other, and what the database has of it counts', async (_, record) => {
  const { open } = await openStores();
  const [later, earlier, command] = [await open(), await open(), await open('guest')];
  await later.registerProcess(processOf('later'), [kind('stored')]);
  await (await rawClient(command)).query('update processes set definitions = $1', [record]);

  await earlier.registerProcess(processOf('earlier'), [kind('known')]);
  expect((await command.processes()).map(({ id }) => id).toSorted()).toEqual(['earlier', 'later']);
  expect(await known(command)).toEqual(['known a', 'stored a']);
});

test('a process that drew another lease is known with what it knows', async () => {
  const { first, second, takeOverFrom, beat } = await openTwoOwners();
  await first.store.registerProcess(processOf('first'), [kind('one')]);
  await takeOverFrom(first);
  await second.store.registerProcess(processOf('second'), [kind('two')]);
  expect(await known(second.store)).toEqual(['two a']);

  await beat(first);
  await expect.poll(() => known(second.store)).toEqual(['one a', 'two a']);
});

test('running processes are listed with their leases: which leads, when each was seen, and what it runs', async () => {
  const { first, second, client } = await openTwoOwners();
  await first.store.registerProcess(processOf('first', '0.2.0'), []);
  for (const id of ['1', '2']) await first.accept({ subject: `company:${id}` });
  await first.claim({ limit: 2 });

  const running = await second.store.runningProcesses();
  const here = { host: hostname(), pid: process.pid, seenAt: expect.any(Number) as number };
  expect(running).toEqual([
    { ...here, version: '0.2.0', startedAt: 1, leads: true, inFlight: 2 },
    // It has a lease, and has not recorded itself yet.
    { ...here, version: null, startedAt: null, leads: false, inFlight: 0 },
  ]);
  const { rows } = await client.query<{ at: number }>(
    'select (extract(epoch from seen_at) * 1000)::double precision as at from leases order by holder',
  );
  expect(running[0]?.seenAt).toBeCloseTo(rows[0]?.at ?? NaN, -1);
});

test('every connection says for what it is, and of which process', async () => {
  const { first, second, client } = await openTwoOwners(postgresWithOwnSessions);
  for (const { store } of [first, second]) onTestFinished(store.onForeignChange(() => undefined));
  await first.accept({});
  await first.claim();
  const namesOf = async () => {
    const { rows } = await client.query<{ name: string }>(
      `select distinct application_name as name from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and application_name <> 'tests' order by name`,
    );
    return rows.map(({ name }) => name);
  };
  const of = (purpose: string) => applicationName(purpose);
  await expect.poll(namesOf).toEqual(['accept', 'dispatch', 'lease', 'listen', 'read'].map(of));
});

test('deliveries list says that no process runs what is shown as running', async () => {
  const handler = "export default defineHandler({ name: 'calm', on: '*', handle() {} });";
  const cli = cliEnvironment({ calm: handler }, await emptyDatabase());
  await cli.seed([violation(1)]);
  const whileItRuns = await cli.withStore(async (store) => {
    await store.registerProcess(processOf('receiver'), []);
    await store.claim({ now: cli.clock.now(), limit: 1, handlers: ['calm'] });
    return cli.run('deliveries', 'list');
  });
  expect(whileItRuns).toMatchObject({ err: '', out: expect.stringContaining('running') as string });

  const { out, err } = await cli.run('deliveries', 'list');
  expect(out).toContain('running');
  expect(err).toContain('no process runs. What is shown as running was interrupted');
});
