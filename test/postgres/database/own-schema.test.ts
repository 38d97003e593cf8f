/** A database whose search path finds the tables in another schema than that of new tables, and one that takes no event. */
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/store/postgres/database/tables/migrate.ts';
import { migrations, newestLevel } from '../../../src/store/postgres/database/tables/migrations.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { sampleEvent } from '../../conformance/sample-event.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { connected, emptyDatabase } from '../kit/empty-database.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';

const clock = manualClock();

async function opened(url: string) {
  const store = await openPostgresStore({ url, role: 'owner', clock });
  onTestFinished(() => store.close());
  return store;
}

/** A store to whose database its operator has then added a schema of the user's name, as PostgreSQL advises. */
async function behindOwnSchema() {
  const url = await emptyDatabase();
  const before = await opened(url);
  await before.accept(sampleEvent({ receivedAt: clock.now() }), []);
  await before.close();
  const client = await connected(url);
  await client.query("do $$ begin execute format('create schema %I', current_user); end $$");
  const placesOf = async (tables: string) =>
    (
      await client.query<{ place: string }>(
        `select relnamespace::regnamespace::text as place from pg_class where relkind = 'r' and relname like '${tables}'`,
      )
    ).rows.map(({ place }) => place);
  return { url, client, placesOf };
}

test.each([
  ['the same day', 0],
  ['a day later', 86_400_000],
])('a schema with the name of the user does not stop intake: %s', async (_, later) => {
  const { url, placesOf } = await behindOwnSchema();
  const store = await opened(url);
  const event = sampleEvent({ receivedAt: clock.now() + later, content: 'another' });
  await expect(store.accept(event, [])).resolves.toMatchObject({ status: 'stored' });
  expect(new Set(await placesOf('event_contents_%'))).toEqual(new Set(['public']));
});

test('a migration adds its tables beside the others', async () => {
  const { client, placesOf } = await behindOwnSchema();
  const addition = {
    ...{ level: newestLevel + 1, name: 'an addition', worksWith: newestLevel },
    sql: 'create table added (id integer)',
  };
  await migrate(client, 0, [...migrations, addition]);
  expect(await placesOf('added')).toEqual(['public']);
});

test('tables of others in the schema may be closed to the user', async () => {
  const url = await emptyDatabase();
  await (await opened(url)).close();
  const client = await connected(url);
  const user = `limited_${String(process.pid)}`;
  await client.query(`create role ${user} login password 'secret'; grant create on schema public to ${user};
    create table others (id integer)`);
  onTestFinished(async () => {
    await client.query(`reassign owned by ${user} to current_user; drop owned by ${user}; drop role ${user}`);
  });
  await client.query(`do $$ declare name text; begin
    for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname <> 'others'
    loop execute format('alter table %I owner to ${user}', name); end loop; end $$`);
  const limited = new URL(url);
  [limited.username, limited.password] = [user, 'secret'];
  await (await opened(limited.href)).close();
});

test('a store in which no event can be stored is unhealthy, and doctor says why, until one can be', async () => {
  const { store, accept } = await openFixture(postgres);
  const client = await rawClient(store);
  const writing = async () => (await store.checks()).find(({ name }) => name === 'writing');
  await client.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before insert on events execute function refuse()`);
  await expect(accept({})).rejects.toMatchObject({ code: 'store-failed' });
  await expect.poll(() => store.healthy()).toBe(false);
  expect(store.healthy()).toBe(false);
  expect(await writing()).toMatchObject({ ok: false, detail: expect.stringContaining('refused') as string });

  await client.query('drop function refuse cascade');
  await expect.poll(() => store.healthy()).toBe(true);
  expect(await writing()).toMatchObject({ ok: true });
  expect(await store.statistics()).toMatchObject({ events: 0 });
  await expect(accept({})).resolves.toMatchObject({ status: 'stored' });
});
