/** `store renew-id`: a database that was restored goes on, and gives no id of an event out a second time. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { PortariaError } from '../../../src/kernel/errors.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import { createDatabaseClock } from '../../../src/store/postgres/database/connections/database-clock.ts';
import { acquireLease } from '../../../src/store/postgres/database/connections/lease.ts';
import { openPostgresStore } from '../../../src/store/postgres/open-postgres-store.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../../src/store/postgres/sql/session.ts';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { cliEnvironment, violation } from '../../cli/kit/cli-environment.ts';
import { connected, emptyDatabase } from '../kit/empty-database.ts';
import { copyOfDatabase, databaseOfStore } from '../kit/postgres-places.ts';

/** Two databases of a test never draw the same id. */
const random = seededRandom(1);

/** A command line on a database, with a handler that writes down the key of each event that it gets. */
function cliOn(address: string) {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'keys');
  const keeper = `import { appendFileSync } from 'node:fs';
    export default defineHandler({ name: 'keeper', on: 'traffic-violation.*', handle({ data }, { idempotencyKey }) {
      appendFileSync(${JSON.stringify(file)}, data.id + ' ' + idempotencyKey + '\\n');
    } });`;
  const cli = cliEnvironment({ keeper }, address);
  const run = (...args: string[]) => cli.begin(args, { random }).ended;
  return {
    ...cli,
    run,
    /** The keys that the handler has got, by the id of the violation. */
    keys: () =>
      new Map(
        (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []).map(
          (line) => line.split(' ') as [string, string],
        ),
      ),
    /** The ids of all events, oldest first. */
    ids: async () => (await run('events', 'list', '--json')).rows.map(({ id }) => String(id)).toReversed(),
  };
}

/**
 * Given a database with one handled and one pending event, and a backup of it: the database goes on with two more
 * events, is lost, and its backup is restored.
 */
async function restored() {
  const lost = cliOn(await databaseOfStore());
  await lost.seed([violation(1)]);
  await lost.dispatch();
  await lost.seed([violation(2)]);
  const restoredAt = await copyOfDatabase(lost.database);
  await lost.seed([violation(3), violation(4)]);
  await lost.dispatch();
  return { lost, found: cliOn(restoredAt) };
}

const repeated = (some: readonly string[], others: readonly string[]) =>
  some.filter((one) => others.includes(one));

test('without a new id, events after the restore get ids and keys of events that were lost', async () => {
  const { lost, found } = await restored();
  await found.seed([violation(5)]);
  await found.dispatch();
  expect(found.keys().get('5')).toBe(lost.keys().get('3'));
  expect(await lost.ids()).toContain((await found.ids()).at(-1));
});

test.each([1, 2])('with a new id, renewed %d times, no id and no key is given out twice', async (times) => {
  const { lost, found } = await restored();
  const [handled, pending] = await lost.ids();
  for (let time = 0; time < times; time += 1)
    expect(await found.run('store', 'renew-id', '--json')).toMatchObject({ code: 0 });

  await found.seed([violation(1), violation(5), violation(6)]);
  await found.dispatch();

  // Events of the backup keep their ids, are found by them, and are known when they return.
  const [first, second, ...later] = await found.ids();
  expect([first, second]).toEqual([handled, pending]);
  expect(later).toHaveLength(2);
  const shown = await found.run('events', 'show', handled!, '--json');
  expect(shown.rows).toMatchObject([{ id: handled, repeats: 1 }]);
  expect(repeated(later, await lost.ids())).toEqual([]);
  // What was pending runs with the key that it had, everything later with another one.
  expect([...found.keys().keys()].toSorted()).toEqual(['2', '5', '6']);
  expect(found.keys().get('2')).toBe(lost.keys().get('2'));
  const laterKeys = ['5', '6'].map((id) => found.keys().get(id) ?? '');
  expect(repeated(laterKeys, [...lost.keys().values()])).toEqual([]);
  expect((await found.run('audit', 'verify')).code).toBe(0);
});

test('a database that is restored again after a renewal gives no id out twice either', async () => {
  const { lost, found } = await restored();
  await found.run('store', 'renew-id');
  const again = cliOn(await copyOfDatabase(found.database));
  await found.seed([violation(5)]);
  await again.run('store', 'renew-id');
  await again.seed([violation(6)]);

  const [, , ...ofFirst] = await found.ids();
  const [, , ...ofSecond] = await again.ids();
  expect(repeated(ofSecond, [...ofFirst, ...(await lost.ids())])).toEqual([]);
  expect((await again.ids()).slice(0, 2)).toEqual((await lost.ids()).slice(0, 2));
});

describe('given a direct address that still names the lost database,', () => {
  test('--database alone says which database is renewed', async () => {
    const { lost, found } = await restored();
    const [before] = await lost.ids();
    found.env['PORTARIA_DATABASE'] = lost.database;
    found.env['PORTARIA_DATABASE_DIRECT'] = lost.database;

    const { code, rows } = await found.run('--database', found.database, 'store', 'renew-id', '--json');

    expect(code).toBe(0);
    expect(rows).toMatchObject([
      { database: expect.stringContaining(new URL(found.database).pathname) as string },
    ]);
    await lost.seed([violation(7)]);
    expect((await lost.ids()).at(-1)).toMatch(new RegExp(`^${before!.split('-')[0]!}-`, 'u'));
  });

  test('a command is refused before it changes either', async () => {
    const { lost, found } = await restored();
    found.env['PORTARIA_DATABASE_DIRECT'] = lost.database;

    const { code, err } = await found.run('store', 'renew-id');

    expect(code).toBe(4);
    expect(err).toContain(
      'PORTARIA_DATABASE_DIRECT: must be the database of PORTARIA_DATABASE without a pooler',
    );
    const client = await connected(lost.database);
    expect((await client.query('select from former_store_ids')).rowCount).toBe(0);
  });

  test('an empty database behind it gets no tables', async () => {
    const { found } = await restored();
    const other = await emptyDatabase();
    found.env['PORTARIA_DATABASE_DIRECT'] = other;

    expect((await found.run('events', 'list')).code).toBe(4);

    const client = await connected(other);
    expect((await client.query("select from pg_tables where schemaname = 'public'")).rowCount).toBe(0);
  });
});

test('says what it did and what to do next, and is in the audit', async () => {
  const { lost, found } = await restored();
  const [last] = (await lost.ids()).slice(1);
  const former = last!.split('-')[0]!;

  const { code, out, err } = await found.run('store', 'renew-id');

  expect(code).toBe(0);
  const id = /store id +(\w{6}) for new events, instead of (\w{6})/u.exec(out);
  expect(id?.[2]).toBe(former);
  expect(out).toMatch(new RegExp(`last event +${last!}`, 'u'));
  expect(err).toContain('portaria privacy reapply');
  expect(err).toContain('portaria audit verify');
  expect(err).toMatch(/Webhooks acknowledged after 2026-11-21 .* ask the provider to send them again/u);
  expect((await found.run('audit', 'list', '--json')).rows[0]).toMatchObject({
    action: 'renewStoreId',
    subject: { from: former, to: id?.[1], event: last },
    result: 'done',
  });
  const received = (await found.run('events', 'show', last!, '--json')).rows[0]?.['received_at'];
  // The second time, no event has the id of the first one.
  expect((await found.run('store', 'renew-id', '--json')).rows).toMatchObject([
    { former_store_id: id?.[1], kept: false, last_event: last, last_received_at: received },
  ]);
});

test('a store without events gets another id', async () => {
  const cli = cliOn(await databaseOfStore());
  const before = await cli.withStore(async ({ storeId }) => storeId);
  const { rows } = await cli.run('store', 'renew-id', '--json');
  expect(rows).toMatchObject([{ former_store_id: before, last_event: null, last_received_at: null }]);
  expect(rows[0]?.['store_id']).not.toBe(before);
});

describe('is refused, and changes nothing,', () => {
  test('while a process serves the database', async () => {
    const cli = cliOn(await databaseOfStore());
    await cli.withStore(async ({ storeId }) => {
      expect(await cli.run('store', 'renew-id')).toMatchObject({
        code: 1,
        err: expect.stringContaining(`is served by process ${String(process.pid)} on`) as string,
      });
      expect((await cli.run('stats', '--json')).rows).toMatchObject([{ store_id: storeId }]);
    });
    expect((await cli.run('audit', 'list', '--json')).rows).toEqual([]);
  });

  test('in a database without a store', async () => {
    const cli = cliOn(await emptyDatabase());
    expect(await cli.run('store', 'renew-id')).toMatchObject({
      code: 3,
      err: expect.stringContaining('There is no store in') as string,
    });
  });
});

describe('a process that knows the former id', () => {
  test('and was frozen during the renewal loses its lease, and is told to end', async () => {
    const cli = cliOn(await databaseOfStore());
    const [clock, fatal] = [manualClock(), [] as PortariaError[]];
    const url = cli.database;
    const store = await openPostgresStore({
      ...{ url, role: 'owner', clock },
      onFatal: (error) => fatal.push(error),
    });
    onTestFinished(() => store.close());
    const client = await connected(url);
    await client.query("update leases set seen_at = seen_at - interval '1 hour'");
    expect((await cli.run('store', 'renew-id')).code).toBe(0);

    clock.advance(2_000);

    await expect
      .poll(() => fatal.map(({ message }) => message))
      .toEqual([
        expect.stringMatching(
          /^the store id of .+ was renewed after this process had read it: start it again$/u,
        ),
      ]);
    // That of before the renewal, which nothing renews any more.
    const { rowCount } = await client.query(
      "select from leases where seen_at > clock_timestamp() - interval '1 minute'",
    );
    expect(rowCount).toBe(0);
  });

  test('and starts meanwhile gets no lease', async () => {
    const cli = cliOn(await databaseOfStore());
    const storeId = await cli.withStore(async (store) => store.storeId);
    await cli.run('store', 'renew-id');
    const client = await connected(cli.database);
    const clock = manualClock();
    const lease = acquireLease({
      ...{ session: createSession(client, createQueryBuilder()), clock, location: 'there', storeId },
      databaseClock: createDatabaseClock(clock),
    });
    await expect(lease).rejects.toMatchObject({ code: 'store-locked' });
    expect((await client.query('select from leases')).rowCount).toBe(0);
  });
});
