import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../../../testing/manual-clock.ts';
import { createCountReplayEvents } from '../../shared/replays/count-replay-events.ts';
import { MAX_UNKNOWN_KINDS } from '../../shared/statistics/count-classes.ts';
import { createConnection } from '../sql/connection.ts';
import { migrate } from '../file/migrate.ts';
import { createStatistics } from '../../shared/statistics/read-statistics.ts';
import { ownNumbers } from './own-numbers.ts';
import { createRowCounts } from './row-counts.ts';

function openCounts(database = new BetterSqlite3(':memory:')) {
  migrate(database);
  const connection = createConnection(database, 'abcdef', manualClock());
  const counts = createRowCounts(connection);
  return {
    connection,
    counts,
    store(kind: string, recognized = 0, at = 0) {
      counts.eventStored({ kind, recognized, verdict: 'new' }, at);
    },
    commit() {
      counts.beforeCommit?.();
      counts.committed();
    },
    ...createStatistics(
      connection,
      ownNumbers(connection, { storeId: 'abcdef', maxQuarantineBytes: 1_000_000 }),
    ),
  };
}

const made = (number: number) => `made.up.${String(number)}`;

describe('unknown kinds', () => {
  test('have counts of their own up to 1,000, and a common one beyond', async () => {
    const { counts, store, commit, statistics } = openCounts();
    for (let number = 0; number < MAX_UNKNOWN_KINDS + 500; number += 1) store(made(number), 0, number);
    store('company.created', 1);
    commit();
    // Known kinds keep their own counts.
    store(made(3));
    store(made(5_000), 0, 9_000);
    counts.eventRepeated({ kind: made(5_000), recognized: 0, verdict: 'new' });
    commit();

    const { byKind, otherKinds, events, repeats, unrecognized } = await statistics();

    expect(byKind).toHaveLength(MAX_UNKNOWN_KINDS + 1);
    expect(byKind.find(({ kind }) => kind === made(3))?.events).toBe(2);
    expect(byKind.find(({ kind }) => kind === 'company.created')?.events).toBe(1);
    expect(otherKinds).toEqual({ events: 501, lastReceivedAt: 9_000 });
    expect({ events, repeats, unrecognized }).toEqual({ events: 1_503, repeats: 1, unrecognized: 1_502 });
  });

  test('are counted correctly after a rollback', async () => {
    const { connection, counts, store, commit, statistics } = openCounts();
    connection.database.exec('begin');
    for (let number = 0; number < MAX_UNKNOWN_KINDS; number += 1) store(`undone.${String(number)}`);
    counts.beforeCommit?.();
    connection.database.exec('rollback');
    counts.undone();

    store(made(1));
    commit();

    expect((await statistics()).byKind.map(({ kind }) => kind)).toEqual([made(1)]);
  });

  test('are bounded across two processes', async () => {
    const one = openCounts();
    const other = openCounts(one.connection.database);
    for (let number = 0; number < MAX_UNKNOWN_KINDS; number += 1) {
      const writer = number % 2 === 0 ? one : other;
      writer.store(made(number));
      writer.commit();
    }
    one.store('further.one');
    one.commit();
    other.store('further.other');
    other.commit();

    const { byKind, otherKinds } = await one.statistics();
    expect(byKind).toHaveLength(MAX_UNKNOWN_KINDS);
    expect(otherKinds?.events).toBe(2);
  });
});

test('a replay counts kinds exactly that the tables count together', async () => {
  const { connection, store, commit } = openCounts();
  const { database } = connection;
  database.exec(`insert into subjects (id, source, family, entity) values (1, 'default', 'made', '1')`);
  const insert = database.prepare(`insert into events
    (kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at, headers, body)
    values (?, ?, 1, 0, x'00', 'new', '[]', 0, '{}', x'7b7d')`);
  const arrive = (kind: string, recognized = 0) => {
    insert.run(kind, recognized);
    store(kind, recognized);
  };
  for (let number = 0; number < MAX_UNKNOWN_KINDS + 10; number += 1) arrive(made(number));
  arrive('late.one');
  arrive('late.two');
  arrive('company.created', 1);
  commit();
  const { countReplayEvents: count } = createCountReplayEvents(
    connection,
    ownNumbers(connection, { storeId: 'abcdef', maxQuarantineBytes: 1_000_000 }),
  );
  const planned = async (kinds?: string[]) => {
    const filter = { ...(kinds && { kinds }) };
    const { groups, subjects } = await count({
      filter,
      succeeded: [],
      inStatus: [],
      effects: [],
    });
    return { events: groups.reduce((sum, group) => sum + group.events, 0), kinds: groups.length, subjects };
  };

  expect(await planned(['late.*'])).toEqual({ events: 2, kinds: 2, subjects: 1 });
  expect(await planned()).toEqual({ events: 1_013, kinds: 1_013, subjects: 1 });
  expect(await planned(['company.created'])).toEqual({ events: 1, kinds: 1, subjects: 1 });
});
