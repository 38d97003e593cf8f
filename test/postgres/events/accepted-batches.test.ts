/** What a batch of accepted events costs the database, and the lanes that it locks. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createTransact } from '../../../src/store/postgres/database/connections/transaction.ts';
import { lockLanes } from '../../../src/store/postgres/deliveries/lanes.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import type { Route } from '../../../src/store/route.ts';
import type { Store } from '../../../src/store/store.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { postgres } from '../kit/postgres-places.ts';
import { watchStatements } from '../kit/watch-statements.ts';
import { addressOf } from '../kit/raw-client.ts';

/** Accepts events of as many new subjects at once. */
async function acceptMany(
  store: Store,
  { family, events, routes }: { family: string; events: number; routes: readonly Route[] },
): Promise<void> {
  const all = Array.from({ length: events }, (_, at) => sampleEvent({ subject: `${family}:${String(at)}` }));
  await Promise.all(all.map((event) => store.accept(event, routes)));
}

test('transactions that lock the lanes of the same handlers and subjects never deadlock', async () => {
  const { store } = await openFixture(postgres);
  await acceptMany(store, { family: 'company', events: 100, routes: [] });
  const subjects = Array.from({ length: 100 }, (_, at) => at + 1);
  const handlers = Array.from({ length: 300 }, (_, at) => `one-by-one-${String(at)}`);
  const pool = new pg.Pool({ connectionString: addressOf(store), max: 2, pipeline: true });
  onTestFinished(() => pool.end());
  const transact = createTransact(pool, { builder: createQueryBuilder(), location: 'here' });
  let runs = 0;
  const lock = (lanes: Parameters<typeof lockLanes>[1]) =>
    transact(async ({ session }) => {
      runs += 1;
      await lockLanes(session, lanes);
    });

  for (let round = 0; round < 20; round += 1)
    await Promise.all([
      lock({ subjects, handlers }),
      lock({ subjects: subjects.toReversed(), handlers: handlers.toReversed() }),
    ]);

  // PostgreSQL ends one of two that wait for each other, and it would have run again.
  expect(runs).toBe(40);
});

test('two processes that accept for the same handlers in order, named in opposite orders, give each lane one head', async () => {
  const fixture = await openFixture(postgres);
  const [one, other] = [fixture.store, await fixture.openAgain('owner')];
  const routes = ['a', 'b', 'c', 'd'].map((name) => route(name, { order: 'handler' }));
  const opposite = routes.toReversed();

  await Promise.all([
    acceptMany(one, { family: 'company', events: 100, routes }),
    acceptMany(other, { family: 'login', events: 100, routes: opposite }),
    acceptMany(one, { family: 'plate', events: 100, routes: opposite }),
    acceptMany(other, { family: 'driver', events: 100, routes }),
  ]);

  const { deliveries } = await one.statistics();
  expect(deliveries.pending).toBe(1_600);
  const checks = await one.checks();
  expect(checks.find(({ name }) => name === 'lanes')).toMatchObject({ ok: true });
});

test('a batch is as many statements for 200 events as for two, and one commit', async () => {
  const { store } = await openFixture(postgres);
  // It makes the partition of the day, and gives names to statements.
  await acceptMany(store, { family: 'vehicle', events: 1, routes: [] });
  const routes = [route('by-subject'), route('one-by-one', { order: 'handler' })];
  const statements = watchStatements();
  const statementsOf = async (family: string, events: number) => {
    await acceptMany(store, { family, events, routes });
    return statements();
  };

  const ofTwo = await statementsOf('company', 2);
  const ofMany = await statementsOf('login', 200);

  expect(ofMany).toEqual(ofTwo);
  expect(ofMany.filter((text) => text === 'commit')).toHaveLength(1);
  expect(ofMany.length).toBeLessThanOrEqual(20);
});
