import BetterSqlite3 from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import type { ClaimedDelivery } from '../lane-queue.ts';
import type { DatabaseSchema } from './database-schema.ts';
import { createIds } from './ids.ts';
import { migrate } from './migrate.ts';
import type { StartedDelivery } from './started-delivery.ts';
import type { WriteOperations } from './write-operations.ts';
import { committedOperations } from './writer.ts';
import { createWrites } from './writes.ts';

const started = (id: number): StartedDelivery => ({
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
const givenBack = (now: number, ...ids: number[]) => ['handBack', JSON.stringify(ids), { dueAt: now }];

/** Writing works and gives these answers; of the events none can be read. */
function unreadable(answers: Partial<Record<keyof WriteOperations, unknown>>) {
  const database = new BetterSqlite3(':memory:');
  migrate(database);
  const query = new Kysely<DatabaseSchema>({ dialect: new SqliteDialect({ database }) });
  const clock = manualClock();
  const calls: (readonly unknown[])[] = [];
  const told: unknown[] = [];
  const operations = committedOperations((name, ...parameters) => {
    calls.push([name, ...parameters]);
    return Promise.resolve(answers[name] as never);
  });
  const connection = { database, query, clock, ids: createIds('abcdef') };
  const writes = createWrites(operations, connection, (error) => void told.push(error));
  return { writes, calls, told, now: clock.now() };
}

test('what was claimed and cannot be read is given back, so that it is not held until the next start', async () => {
  const { writes, calls, told, now } = unreadable({
    claim: { deliveries: [started(1), started(2)], nextDueAt: null },
  });
  const request = { now, limit: 2, handlers: ['anyone'] };

  await expect(writes.claim(request)).rejects.toMatchObject({ code: 'store-failed' });

  expect(calls).toEqual([['claim', request], givenBack(now, 1, 2)]);
  expect(told).toHaveLength(1);
});

test('what was claimed ahead is given back with it: nobody is told of it', async () => {
  const { writes, calls, told, now } = unreadable({
    claim: { deliveries: [started(1), started(2), started(3)], nextDueAt: null },
  });
  const request = { now, limit: 1, ahead: 2, handlers: ['anyone'] };

  await expect(writes.claim(request)).rejects.toMatchObject({ code: 'store-failed' });

  expect(calls.slice(1)).toEqual([givenBack(now, 1, 2, 3)]);
  expect(told).toHaveLength(1);
});

test('the same goes for what was claimed ahead, when its turn comes', async () => {
  const { writes, calls, told, now } = unreadable({
    claim: { deliveries: [started(1), started(2), started(3)], nextDueAt: null },
  });
  const { ahead } = await writes.claim({ now, limit: 0, ahead: 3, handlers: ['anyone'] });
  expect([calls.length, ahead.left()]).toEqual([1, 3]);

  await expect(ahead.next(2)).rejects.toMatchObject({ code: 'store-failed' });

  expect(calls.slice(1)).toEqual([givenBack(now, 1, 2)]);
  expect([told.length, ahead.left()]).toEqual([1, 1]);
});

test('a delivery has ended, also when the next one of its lane cannot be read', async () => {
  const { writes, calls, now } = unreadable({ advance: started(2) });
  const first: ClaimedDelivery = {
    id: 'd1',
    lane: '1',
    handler: 'anyone',
    effect: null,
    attempt: 1,
    replay: null,
    event: {
      id: 'abcdef-1',
      kind: 'company.updated',
      recognized: true,
      source: 'default',
      subject: { family: 'company', id: '1' },
      verdict: 'new',
      flags: [],
      version: null,
      receivedAt: now,
      repeats: 0,
      lastRepeatAt: null,
      messageId: null,
      data: {},
    },
  };

  expect(await writes.advance(first, { status: 'succeeded' }, { now, next: true })).toBeNull();

  expect(calls.at(-1)).toEqual(givenBack(now, 2));
});
