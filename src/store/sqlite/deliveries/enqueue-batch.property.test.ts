import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { manualClock } from '../../../testing/manual-clock.ts';
import type { LaneOrder } from '../../route.ts';
import { createClockJumps } from './clock-jumps.ts';
import { createEnqueueBatch } from './enqueue-batch.ts';
import { createEnqueueDelivery } from './enqueue.ts';
import { createConnection } from '../sql/connection.ts';
import { createRowCounts } from '../statistics/row-counts.ts';
import { createLanes } from './lanes.ts';
import { createPausedHeads } from './paused-heads.ts';
import { createStartDeliveries } from './start.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { emptyDatabase } from '../../../../test/support/empty-store.ts';

const NOW = 1_790_000_000_000;

/** Eight events of three subjects, every third of them stale. */
function openQueue() {
  const database = emptyDatabase();
  database.exec(`
    insert into subjects (source, family, entity) select 's', 'company', value from json_each('[1, 2, 3]');
    insert into events (kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at, headers, body)
      select 'company.updated', 1, 1 + value % 3, value, x'00', iif(value % 4 = 0, 'stale', 'new'), '[]', 0, '{}', x'7b7d'
      from json_each('[1, 2, 3, 4, 5, 6, 7, 8]')`);
  const connection = createConnection(database, 'abcdef', manualClock(NOW));
  const counts = createRowCounts(connection);
  const clockJumps = createClockJumps(connection);
  const start = createStartDeliveries(connection, counts);
  const lanes = createLanes(connection, { start, clockJumps, paused: createPausedHeads(connection) });
  return {
    database,
    counts,
    batch: createEnqueueBatch(connection, { counts, clockJumps }),
    one: createEnqueueDelivery(connection, { lanes, counts, clockJumps }),
  };
}

interface Request {
  readonly replay: number;
  readonly events: readonly number[];
  readonly order: LaneOrder;
  readonly stale: boolean;
  /** The index of the delivery to finish afterwards, and of the one to start. */
  readonly finish: number;
  readonly run: number;
}

const requests = fc.array(
  fc.record({
    replay: fc.integer({ min: 1, max: 2 }),
    events: fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 8 }),
    order: fc.constantFrom<LaneOrder>('subject', 'handler', 'none'),
    stale: fc.boolean(),
    finish: fc.nat(12),
    run: fc.nat(12),
  }),
  { maxLength: 6 },
);

type Queue = ReturnType<typeof openQueue>;

function enqueueTogether({ batch }: Queue, { replay, events, order, stale }: Request): void {
  const list = JSON.stringify(events);
  batch(replay, { route: { handler: order, order, stale }, events: list, count: events.length }, NOW);
}

function enqueueOneByOne({ one, database }: Queue, { replay, events, order, stale }: Request): void {
  const event = database.prepare<[number], { subject_id: number; verdict: string }>(
    'select subject_id, verdict from events where id = ?',
  );
  for (const eventId of events) {
    const row = event.get(eventId);
    const skip = row?.verdict === 'stale' && !stale ? { skip: 'stale' } : {};
    one({ eventId, subjectId: row?.subject_id ?? 0, handler: order, order, replayId: replay, ...skip }, NOW);
  }
}

/** Brings lanes into every state: empty, with a head, and with a running delivery before others. */
function proceed({ database }: Queue, { finish, run }: Request): void {
  const nth = (at: number) => `(select id from deliveries order by id limit 1 offset ${String(at)})`;
  database.exec(`
    update deliveries set status = 'running', head = 0, due_at = null, asked_at = null where head = 1 and id = ${nth(run)};
    update deliveries set status = 'succeeded', finished_at = 1 where status = 'running' and id = ${nth(finish)}`);
}

/** All deliveries; their row numbers may have gaps. */
function rowsOf({ database, counts }: Queue): unknown {
  counts.beforeCommit?.();
  const rows = database.prepare<[], { id: number; lane: number }>('select * from deliveries order by id');
  return {
    deliveries: rows.all().map(({ id, lane, ...row }) => ({ ...row, lane: lane === -id ? 'its own' : lane })),
    counts: database.prepare('select * from replay_counts where deliveries <> 0').all(),
  };
}

test('a batch stores the same deliveries as enqueueing one by one', () => {
  fc.assert(
    fc.property(requests, (plan) => {
      const together = openQueue();
      const oneByOne = openQueue();
      for (const request of plan) {
        enqueueTogether(together, request);
        proceed(together, request);
        enqueueOneByOne(oneByOne, request);
        proceed(oneByOne, request);
      }
      expect(rowsOf(together)).toEqual(rowsOf(oneByOne));
      together.database.close();
      oneByOne.database.close();
    }),
    { numRuns: propertyRuns(150) },
  );
});

test('rejects an unknown event', () => {
  const { batch } = openQueue();
  const route = { handler: 'h', order: 'subject', stale: false } as const;
  expect(() => {
    batch(1, { route, events: '[1, 9]', count: 2 }, NOW);
  }).toThrow('there is no event abcdef-9');
});
