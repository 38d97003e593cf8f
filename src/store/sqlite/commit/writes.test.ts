import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { manualClock } from '../../../testing/manual-clock.ts';
import { testEvent } from '../../../testing/test-event.ts';
import type { StoredEvent } from '../../../event/stored-event.ts';
import type { ClaimedDelivery } from '../../lane-queue.ts';
import { createConnection } from '../sql/connection.ts';
import { migrate } from '../file/migrate.ts';
import type { QueuedDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import type { WriteOperations } from './write-operations.ts';
import { createWriter } from './writer.ts';
import { createWrites } from './writes.ts';

const started = (id: number): QueuedDelivery => ({
  delivery_id: id,
  handler: 'anyone',
  lane: id,
  effect: '',
  effect_change: null,
  late: 0,
  attempt: 1,
  replay_id: 0,
  event_id: id,
});
const unread = (id: number) => ({
  id: `d${String(id)}`,
  handler: 'anyone',
  lane: String(id),
  replay: null,
  event: null,
  reason: expect.stringContaining(`event ${String(id)} is missing`) as string,
});

/** Writes whose operations return these results. Only the events stored by `store` can be read. */
function unreadable(results: Partial<Record<keyof WriteOperations, unknown>>) {
  const database = new BetterSqlite3(':memory:');
  migrate(database);
  const clock = manualClock();
  const calls: (readonly unknown[])[] = [];
  const reported: unknown[] = [];
  const { operations } = createWriter({
    names: Object.keys(results),
    call(name, ...parameters) {
      calls.push([name, ...parameters]);
      return Promise.resolve(results[name] as never);
    },
    healthy: () => true,
    fatal: () => undefined,
    close: () => Promise.resolve(),
  });
  const connection = createConnection(database, 'abcdef', clock);
  const writes = createWrites(operations, connection, (error) => void reported.push(error));
  const store = (event: number): void => {
    database.exec(`
      insert or ignore into subjects (id, source, family, entity) values (1, 's', 'company', '1');
      insert into events (id, kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at, headers, body)
        values (${String(event)}, 'company.updated', 1, 1, ${String(event)}, x'00', 'new', '[]', 0, '{}', cast('{}' as blob))`);
  };
  return { writes, calls, reported, store, now: clock.now() };
}

test('a claimed delivery whose event cannot be read comes as unread', async () => {
  const { writes, reported, now } = unreadable({
    claim: { deliveries: [started(1), started(2)], nextDueAt: null, superseded: [] },
  });

  const claim = await writes.claim({ now, limit: 2, handlers: ['anyone'] });

  expect(claim).toMatchObject({ deliveries: [], unread: [unread(1), unread(2)] });
  expect(reported).toHaveLength(2);
});

test('a prefetched delivery whose event cannot be read comes as unread', async () => {
  const { writes, reported, now } = unreadable({
    claim: { deliveries: [started(1), started(2), started(3)], nextDueAt: null, superseded: [] },
  });
  const { prefetched } = await writes.claim({ now, limit: 0, prefetch: 3, handlers: ['anyone'] });
  expect([reported.length, prefetched.left()]).toEqual([0, 3]);

  const read = await prefetched.next(2);

  expect(read).toMatchObject({ deliveries: [], unread: [unread(1), unread(2)] });
  expect([reported.length, prefetched.left()]).toEqual([2, 1]);
});

test('an unreadable event leaves the others readable', async () => {
  const { writes, store, now } = unreadable({
    claim: { deliveries: [started(1), started(2), started(3)], nextDueAt: null, superseded: [] },
  });
  for (const event of [1, 3]) store(event);

  const claim = await writes.claim({ now, limit: 3, handlers: ['anyone'] });

  expect(claim).toMatchObject({ deliveries: [{ id: 'd1' }, { id: 'd3' }], unread: [unread(2)] });
});

test('completes a delivery even if the following event cannot be read', async () => {
  const { writes, calls, now } = unreadable({ complete: started(2) });
  const first: ClaimedDelivery = {
    id: 'd1',
    lane: '1',
    holder: 0,
    start: 0,
    handler: 'anyone',
    effect: null,
    attempt: 1,
    replay: null,
    traceparent: null,
    event: testEvent('company.updated') as StoredEvent,
  };

  const following = await writes.complete(first, { status: 'succeeded' }, { now, next: true });

  expect(following).toMatchObject(unread(2));
  expect(calls.map(([name]) => name)).toEqual(['complete']);
});
