import BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, test } from 'vitest';
import { manualClock } from '../../../testing/manual-clock.ts';
import type { DatabaseSchema } from '../../shared/tables.ts';
import { migrate } from '../file/migrate.ts';
import { createConnection } from '../sql/connection.ts';
import { readStatistics, readTotals } from './read-statistics.ts';

const place = { storeId: 'abcdef', maxQuarantineBytes: 1_000_000 };

function emptyStore() {
  const database = new BetterSqlite3(':memory:');
  migrate(database);
  const asked: string[] = [];
  const query = new Kysely<DatabaseSchema>({
    dialect: new SqliteDialect({ database }),
    log: ({ query: { sql } }) => void asked.push(sql),
  });
  return { connection: { ...createConnection(database, 'abcdef', manualClock()), query }, asked };
}

test('statistics scan only tables of counts', async () => {
  const { connection, asked } = emptyStore();

  await readStatistics(connection, place);
  await readTotals(connection, place);

  const steps = asked.flatMap((sql) => {
    const parameters = [...sql.matchAll(/\?/g)].map(() => null);
    const plan = connection.database.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`);
    return plan.all(...parameters).map(({ detail }) => detail);
  });
  expect(steps.length).toBeGreaterThan(3);
  const scans = steps.filter((step) => /^SCAN (?!CONSTANT)/.test(step));
  expect(scans.filter((step) => !/^SCAN \w+_counts\b/.test(step))).toEqual([]);
});

test('metrics read no counts by kind', async () => {
  const { connection, asked } = emptyStore();

  await readTotals(connection, place);

  expect(asked.filter((sql) => sql.includes('event_counts'))).toEqual([]);
});

test('counts entries until they are released, and anomalies until they are deleted', async () => {
  const { connection } = emptyStore();
  const { database } = connection;
  const counts = async () => {
    const { subjects, quarantineHeld, anomalies } = await readStatistics(connection, place);
    return { subjects, quarantineHeld, anomalies };
  };
  database.exec(`
    insert into subjects (source, family, entity) values ('s', 'company', '1'), ('s', 'company', '2');
    insert into anomalies (machine, subject_id, event_id, message) values ('m', 1, 1, ''), ('m', 2, 2, '');
    insert into quarantine (source, status, reason, message, issues, received_at, digest_key, digest, headers, body)
      values ('s', 'held', 'invalid', '', '[]', 1, 1, x'00', '{}', x'00'),
             ('s', 'held', 'invalid', '', '[]', 1, 2, x'01', '{}', x'01')`);
  expect(await counts()).toEqual({ subjects: 2, quarantineHeld: 2, anomalies: 2 });

  database.exec(`
    update quarantine set repeats = 1 where id = 2;
    update quarantine set status = 'released', event_id = 1 where id = 1;
    delete from anomalies where subject_id = 1`);

  expect(await counts()).toEqual({ subjects: 2, quarantineHeld: 1, anomalies: 1 });
});
