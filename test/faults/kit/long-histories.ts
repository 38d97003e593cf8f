import { randomBytes } from 'node:crypto';
import BetterSqlite3 from 'better-sqlite3';
import { createIdentify } from '../../../src/identify/identify.ts';
import { parsedEvent } from '../../support/verified-delivery.ts';
import { fillDatabase } from './filled-store.ts';
import { loginBody } from './senders/webhooks.ts';
import { specification } from '../../../src/contract/specification.ts';

const identify = createIdentify(specification, (id) => id);

/**
 * Creates a database with `count` events of one login, a fifth of them stale, each with a succeeded
 * delivery. It also has `count` quarantine entries, anomalies, machine states and subjects. The rows
 * are inserted directly: receiving so many events would take minutes.
 */
export async function writeLongHistories(file: string, count: number): Promise<void> {
  const body = (number: number) => loginBody(1, number);
  await fillDatabase(file, [body(0)], [{ handler: 'watched', order: 'subject', stale: true }]);
  const database = new BetterSqlite3(file);
  database.pragma('synchronous = off');
  const insert = database.prepare(`insert into events
    (id, kind, recognized, subject_id, digest_key, digest, version, verdict, flags, received_at, headers, body)
    values (?, ?, 1, 1, ?, ?, ?, ?, '[]', ?, '{}', ?)`);
  database.transaction(() => {
    for (let id = 2; id <= count; id += 1) {
      // Every fifth event is late: it has swapped places with the one before it.
      const isStale = id % 5 === 0;
      const { kind, version, bytes } = storedAs(body(id - 1 + (isStale ? -1 : id % 5 === 4 ? 1 : 0)));
      const digest = randomBytes(32);
      const verdict = isStale ? 'stale' : 'new';
      insert.run(id, kind, digest.readUIntBE(0, 6), digest, version, verdict, 1_760_000_000_000 + id, bytes);
    }
    database.exec(`
      update subjects set latest_event = ${String(count)},
        latest_version = (select max(version) from events) where id = 1;
      create temp table numbers as with recursive n (i) as (select 2 union all select i + 1 from n
        where i < ${String(count)}) select i from n;
      delete from deliveries;
      insert into deliveries (event_id, handler, lane_order, lane, status, attempts, finished_at)
        select id, 'watched', 'subject', 1, 'succeeded', 1, received_at from events;
      insert into subjects (id, source, family, entity) select i, 'default', 'charge', 'c' || i from numbers;
      insert into machine_states select 'watcher', i, '{"status":"paid"}', null, 1, 1, 0, 1 from numbers;
      insert into anomalies (machine, subject_id, event_id, message)
        select 'watcher', 2, i, 'it was paid twice' from numbers;
      insert into quarantine (source, status, reason, kind, message, issues, received_at, digest_key, digest, headers, body)
        select 'default', 'held', 'invalid', 'charge.updated', 'does not fit',
          '[{"path":"data.amount","message":"must be a number"}]', i, i, randomblob(32), '{}', cast('{"type":"charge.updated"}' as blob)
        from numbers;
      insert into jobs (plan, action, selection, planned, staged, requested_by, created_at, state)
        select 'plan ' || i, 'replay', '{"events":{"filter":{},"handlers":["watched"],"ifNotSucceeded":false,"target":null}}',
          1, 0, 'ana', i, 'cancelled' from numbers where i <= 1000;
      delete from event_counts;
      insert into event_counts select kind, recognized, verdict, count(*), 0, max(received_at)
        from events group by 1, 2, 3;
      insert into event_counts select 'made.up.' || i, 0, 'new', 1, 0, i from numbers where i <= 1001;
      delete from delivery_counts;
      insert into delivery_counts values ('watched', 'succeeded', ${String(count)});`);
  })();
  database.pragma('wal_checkpoint(truncate)');
  database.close();
}

/** The kind, version and bytes that the receiver stores for a body. */
function storedAs(body: string) {
  const event = parsedEvent(body);
  return { kind: event.kind, version: identify(event).version, bytes: Buffer.from(body) };
}
