/** A server that ends connections at the worst moment: no error may end the process. */
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { HEARTBEAT_MS } from '../../../src/store/postgres/database/connections/lease.ts';
import { cliEnvironment } from '../../cli/kit/cli-environment.ts';
import { createPools } from '../../../src/store/postgres/database/connections/pools.ts';
import { createTransact } from '../../../src/store/postgres/database/connections/transaction.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { eventually } from '../../support/eventually.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { rawClient, untilWaiting } from '../kit/raw-client.ts';
import { databaseOfStore, postgresWithOwnSessions } from '../kit/postgres-places.ts';
import { openTwoOwners } from '../kit/two-owners.ts';

/** A message of PostgreSQL's protocol: its type, its length, its content. */
function message(type: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, content]);
}

const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const terminated = message(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

/** Says in one packet that a connection is ready and that it is terminated. Returns the address. */
async function terminatingServer(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, terminated])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `postgres://portaria@127.0.0.1:${String((server.address() as AddressInfo).port)}/portaria`;
}

test('a pool whose connections end once they are ready rejects its queries, and nothing else', async () => {
  const errors: Error[] = [];
  const pools = createPools({ url: await terminatingServer() }, (error) => errors.push(error));
  onTestFinished(() => pools.end());

  await expect(pools.dispatching.query('select 1')).rejects.toThrow(/terminat/u);
  await expect(pools.reading.query('select 1')).rejects.toThrow(/terminat/u);
});

test('reads that wait keep no webhook, no delivery and no heartbeat waiting', async () => {
  const { first, client } = await openTwoOwners(postgresWithOwnSessions);
  await client.query('begin');
  await client.query('lock table anomalies in access exclusive mode');
  const reads = Array.from({ length: 4 }, () => first.store.latestAnomalies('login', 1));
  await untilWaiting(client, 1);

  await first.accept({});
  const [delivery] = await first.claim();
  if (delivery === undefined) throw new Error('expected a delivery');
  await first.succeed(delivery);
  first.clock.advance(7_000);
  await eventually('the lease is renewed', () => first.store.mayStart(delivery));

  await client.query('commit');
  expect(await Promise.all(reads)).toEqual(reads.map(() => []));
});

test('a store whose deliveries alone fail is healthy: a load balancer asks whether it takes webhooks', async () => {
  const { first, client } = await openTwoOwners(postgresWithOwnSessions);
  await first.accept({});
  await client.query('begin; lock table deliveries in access exclusive mode');
  const failure = first.claim().catch((error: unknown) => error);
  const other = await rawClient(first.store);
  await untilWaiting(other, 1);
  await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name like 'portaria dispatch %'`);
  expect(await failure).toMatchObject({ code: 'store-busy' });
  expect(first.store.healthy()).toBe(true);
  await client.query('commit');
  expect(await first.claim()).toHaveLength(1);
  expect(first.store.healthy()).toBe(true);
});

test('in a night without a webhook, a heartbeat that fails tells that the server is away, and that it is back', async () => {
  const url = await databaseOfStore();
  const proxy = await startTcpProxy(url);
  const clock = manualClock();
  const store = await openPostgresStore({ url: proxy.through(url), role: 'owner', clock });
  onTestFinished(() => store.close());
  expect(store.healthy()).toBe(true);

  proxy.onRequest(() => 'cut');
  clock.advance(HEARTBEAT_MS);
  await eventually('it is unhealthy', () => !store.healthy());

  proxy.onRequest(() => 'pass');
  await eventually('it is healthy', () => store.healthy());
});

test('a watch that begins while the server is away says so, and goes on', async () => {
  const url = await databaseOfStore();
  const proxy = await startTcpProxy(url);
  const cli = cliEnvironment({}, proxy.through(url));
  await cli.withStore(() => Promise.resolve());
  proxy.onRequest(() => 'cut');

  const { terminal, ended } = cli.begin(['watch', '--every', '1', '--json']);
  await terminal.printed('"began"');
  proxy.onRequest(() => 'pass');
  await terminal.printed('"ended"');
  terminal.interrupt();

  const { code, rows } = await ended;
  expect(code).toBe(0);
  expect(rows).toMatchObject([
    { change: 'began', problem: 'store-unavailable', summary: expect.stringContaining('cannot look: ') },
    { change: 'ended', problem: 'store-unavailable' },
  ]);
});

test('a store does not open on such a server, and says why', async () => {
  const url = await terminatingServer();

  await expect(openPostgresStore({ url, role: 'owner', clock: manualClock() })).rejects.toMatchObject({
    code: 'store-busy',
  });
});

test('a transaction that gets no connection of its pool for 5 seconds is refused, and the pool goes on', async () => {
  const pools = createPools({ url: inject('postgresUrl'), poolSize: 1 }, () => undefined);
  onTestFinished(() => pools.end());
  const transact = createTransact(pools.dispatching, { builder: createQueryBuilder(), location: 'there' });
  const taken = await pools.dispatching.connect();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let begun = false;
  const refused = transact(() => Promise.resolve((begun = true))).catch((error: unknown) => error);

  vi.advanceTimersByTime(5_000);
  expect(await refused).toMatchObject({ code: 'store-busy' });
  expect(begun).toBe(false);

  vi.useRealTimers();
  taken.release();
  expect(await transact(() => Promise.resolve('stored'))).toBe('stored');
});

test('pools end although a connection never answers again', async () => {
  const url = inject('postgresUrl');
  const proxy = await startTcpProxy(url);
  const pools = createPools({ url: proxy.through(url) }, () => undefined);
  await pools.reading.query('select 1');
  const held = await pools.dispatching.connect();
  proxy.silence();
  const unanswered = held.query('select 1').catch((error: unknown) => error);
  setImmediate(() => {
    held.release();
  });

  await pools.end();
  expect(await unanswered).toBeInstanceOf(Error);
});
