import BetterSqlite3 from 'better-sqlite3';
import type { RawBuilder } from 'kysely';
import { expect, test } from 'vitest';
import { manualClock } from '../../../testing/manual-clock.ts';
import { createStatistics } from '../../shared/statistics/read-statistics.ts';
import { migrate } from '../file/migrate.ts';
import { createConnection } from '../sql/connection.ts';
import { ownNumbers } from './own-numbers.ts';

const place = { storeId: 'abcdef', maxQuarantineBytes: 1_000_000 };

function emptyStore() {
  const database = new BetterSqlite3(':memory:');
  migrate(database);
  const opened = createConnection(database, 'abcdef', manualClock());
  const asked: string[] = [];
  const noted = <R>(query: RawBuilder<R>): RawBuilder<R> => {
    asked.push(query.compile(opened.query).sql);
    return query;
  };
  const read: typeof opened.read = {
    rows: (query) => opened.read.rows(noted(query)),
    first: (query) => opened.read.first(noted(query)),
  };
  const connection = { ...opened, read };
  return { database, asked, ...createStatistics(connection, ownNumbers(connection, place)) };
}

test('statistics scan only tables of counts, and pauses, of which there are few', async () => {
  const { database, asked, statistics, totals } = emptyStore();

  await statistics();
  await totals();

  const steps = asked.flatMap((sql) => {
    const parameters = [...sql.matchAll(/\?/g)].map(() => null);
    const plan = database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`);
    return plan.all(...parameters).map(({ detail }) => detail);
  });
  expect(steps.length).toBeGreaterThan(3);
  const scans = steps.filter((step) => /^SCAN (?!CONSTANT)/.test(step));
  expect(scans.filter((step) => !/^SCAN (\w+_counts|pauses)\b/.test(step))).toEqual([]);
});

test('metrics read no counts by kind', async () => {
  const { asked, totals } = emptyStore();

  await totals();

  expect(asked.filter((sql) => sql.includes('event_counts'))).toEqual([]);
});

test('counts entries until they are released, and anomalies until they are deleted', async () => {
  const { database, statistics } = emptyStore();
  const counts = async () => {
    const { subjects, quarantined, anomalies } = await statistics();
    return { subjects, quarantined, anomalies };
  };
  database.exec(`
    insert into subjects (source, family, entity) values ('s', 'company', '1'), ('s', 'company', '2');
    insert into anomalies (machine, subject_id, event_id, message) values ('m', 1, 1, ''), ('m', 2, 2, '');
    insert into quarantine (source, status, reason, message, issues, received_at, digest_key, digest, headers, body)
      values ('s', 'held', 'invalid', '', '[]', 1, 1, x'00', '{}', x'00'),
             ('s', 'held', 'invalid', '', '[]', 1, 2, x'01', '{}', x'01')`);
  expect(await counts()).toEqual({ subjects: 2, quarantined: 2, anomalies: 2 });

  database.exec(`
    update quarantine set repeats = 1 where id = 2;
    update quarantine set status = 'released', event_id = 1 where id = 1;
    delete from anomalies where subject_id = 1`);

  expect(await counts()).toEqual({ subjects: 2, quarantined: 1, anomalies: 1 });
});
