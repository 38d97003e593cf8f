/** Databases whose own settings are not those that the store relies on. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { emptyDatabase } from '../kit/empty-database.ts';

/** Notes a setting of each transaction that stores an event, or that changes a delivery. */
const noting = (setting: string) => `
create table noted (id serial, value text);
create function note() returns trigger language plpgsql as $$
begin insert into noted (value) values (current_setting('${setting}')); return null; end $$;
create trigger noting_events after insert on events for each statement execute function note();
create trigger noting_deliveries after update on deliveries for each statement execute function note()`;

/** Stores, claims and completes an event in a database with a default. Returns a setting of each, equal ones in a row once. */
async function settingsUsed(
  name: string,
  given: string,
  setting: string,
  isPooled = false,
): Promise<readonly string[]> {
  const url = await emptyDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`alter database ${new URL(url).pathname.slice(1)} set ${name} = '${given}'`);
  const clock = manualClock();
  const store = await openPostgresStore({
    ...{ url, role: 'owner', clock },
    // Another address than that of the pooler.
    ...(isPooled && { directUrl: `${url}?application_name=direct` }),
  });
  onTestFinished(() => store.close());
  await client.query(noting(setting));
  await store.accept(sampleEvent({}), [route('anyone')]);
  const { deliveries } = await store.claim({ now: clock.now(), limit: 1, handlers: ['anyone'] });
  for (const delivery of deliveries)
    await store.complete(delivery, { status: 'succeeded' }, { now: clock.now(), next: false });
  const { rows } = await client.query<{ value: string }>('select value from noted order by id');
  expect(rows.length, 'the event, its claim and its outcome').toBeGreaterThanOrEqual(3);
  const values = rows.map(({ value }) => value);
  return values.filter((value, at) => value !== values[at - 1]);
}

test.each(['repeatable read', 'serializable'])(
  'transactions are read committed in a database whose default is %s',
  async (isolation) => {
    const used = await settingsUsed('default_transaction_isolation', isolation, 'transaction_isolation');
    expect(used).toEqual(['read committed']);
  },
);

test.each([
  ['off', 'on'],
  ['local', 'local'],
  ['remote_apply', 'remote_apply'],
])('with synchronous_commit = %s of the database, commits have %s', async (given, used) => {
  expect(await settingsUsed('synchronous_commit', given, 'synchronous_commit')).toEqual([used]);
});

test.each([
  ['with names, accepting and claims plan', false, ['force_generic_plan', 'force_custom_plan']],
  ['without names, behind a pooler, no transaction plans', true, ['force_custom_plan']],
])('%s statements once, whatever the default of the database', async (_, isPooled, used) => {
  const setting = 'plan_cache_mode';
  expect(await settingsUsed(setting, 'force_custom_plan', setting, isPooled)).toEqual(used);
});

test.each([
  ['statement_timeout', ['8s', '30s']],
  ['lock_timeout', ['200ms', '10s', '200ms']],
  ['idle_in_transaction_session_timeout', ['5s']],
])('no transaction has a %s without end, whatever the default of the database', async (setting, used) => {
  expect(await settingsUsed(setting, '0', setting)).toEqual(used);
});
