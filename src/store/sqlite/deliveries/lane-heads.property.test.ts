import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { manualClock } from '../../../testing/manual-clock.ts';

import { createConnection } from '../sql/connection.ts';
import type { InFlightDelivery, QueuedDelivery } from '../../shared/deliveries/claimed-delivery.ts';
import { createWriteOperations } from '../commit/write-operations.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { emptyDatabase } from '../../../../test/support/empty-store.ts';
import { replayJob } from '../../../../test/support/replay-job.ts';

/** Two events of each of three subjects. */
const EVENTS = 6;
const MINUTE = 60_000;

function openQueue() {
  const database = emptyDatabase();
  const clock = manualClock();
  const { operations: writes, parts } = createWriteOperations(createConnection(database, 'abcdef', clock), {
    maxQuarantineBytes: 1_000_000,
  });
  database.exec(`
    insert into subjects (source, family, entity) values ('s', 'company', '1'), ('s', 'company', '2'), ('s', 'company', '3');
    insert into events (kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at, headers, body)
      select 'company.updated', 1, 1 + value % 3, value, x'00', iif(value = 6, 'stale', 'new'), '[]', 0, '{}', x'00' from json_each('[1, 2, 3, 4, 5, 6]')`);
  /** Commits like batch-commit.ts. */
  const write = <T>(work: () => T): T => {
    const result = database.transaction(() => {
      const value = work();
      for (const part of parts) part.beforeCommit?.();
      return value;
    })();
    for (const part of parts) part.committed();
    return result;
  };
  return { database, clock, writes, write };
}

type Queue = ReturnType<typeof openQueue>;

const inFlightOf = ({
  delivery_id: id,
  handler,
  lane,
  replay_id: replayId,
}: QueuedDelivery): InFlightDelivery => ({
  id,
  handler,
  lane,
  replayId,
});

const number = fc.nat({ max: 30 });
const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('enqueue' as const), number }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), number: fc.nat({ max: 4 }) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('succeed' as const), number, next: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('die' as const), number }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('revive' as const), number }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reschedule' as const), number }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), number }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('release-all' as const), number }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('recover' as const), number }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('jump' as const), number: fc.integer({ min: -9, max: 9 }) }),
    },
  ),
  { maxLength: 80 },
);

type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

/** Performs one step. `inFlight` and `dead` list the deliveries in these states. */
function take(step: Step, queue: Queue, inFlight: InFlightDelivery[], dead: string[]): void {
  const { writes, write, clock } = queue;
  const now = clock.now();
  switch (step.do) {
    case 'enqueue':
      enqueue(step.number, queue);
      return;
    case 'claim':
      inFlight.push(
        ...write(() => writes.claim({ now, limit: step.number, handlers: ['h'] })).deliveries.map(inFlightOf),
      );
      return;
    case 'revive': {
      const ids = dead.splice(step.number % Math.max(dead.length, 1), 1 + (step.number % 3));
      write(() => writes.retryDeliveries(ids, now));
      return;
    }
    case 'recover':
      expect(write(() => writes.recover())).toBe(inFlight.length);
      inFlight.length = 0;
      return;
    case 'release-all': {
      // The list may name a delivery that is not in flight.
      const ids = [...inFlight.map(({ id }) => id), step.number];
      inFlight.length = 0;
      write(() => {
        writes.release(JSON.stringify(ids), { dueAt: now + (step.number % 3) * MINUTE });
      });
      return;
    }
    case 'jump':
      clock.jump(step.number * MINUTE);
      return;
    case 'succeed':
    case 'die':
    case 'reschedule':
    case 'release': {
      const [one] = inFlight.splice(step.number % Math.max(inFlight.length, 1), 1);
      if (one !== undefined) end(step, one, queue, inFlight, dead);
    }
  }
}

/** Enqueues a replay of some consecutive events. */
function enqueue(number: number, { writes, write, clock }: Queue): void {
  const now = clock.now();
  const { id } = write(() => writes.createJob(replayJob({ handlers: ['h'] }), now));
  const count = 1 + (number % 4);
  const events = Array.from({ length: count }, (_, at) => 1 + ((number + at) % EVENTS));
  const route = { handler: 'h', order: 'subject', stale: false } as const;
  write(() => {
    writes.enqueueReplay(id, [{ route, events: JSON.stringify(events), count }], { cursor: '', now });
  });
}

function end(
  step: Extract<Step, { do: 'succeed' | 'die' | 'reschedule' | 'release' }>,
  one: InFlightDelivery,
  { writes, write, clock }: Queue,
  inFlight: InFlightDelivery[],
  dead: string[],
): void {
  const now = clock.now();
  switch (step.do) {
    case 'succeed': {
      const next = write(() => writes.complete(one, { status: 'succeeded' }, { now, next: step.next }));
      if (next !== null) inFlight.push(inFlightOf(next));
      return;
    }
    case 'die':
      write(() => writes.complete(one, { status: 'dead', reason: 'x' }, { now, next: false }));
      dead.push(String(one.id));
      return;
    case 'reschedule':
      write(() => {
        writes.reschedule(one, { now, dueAt: now + (step.number % 5) * MINUTE, reason: 'x' });
      });
      return;
    case 'release':
      write(() => {
        writes.release(JSON.stringify([one.id]), { dueAt: now });
      });
  }
}

interface LaneRow {
  readonly lane: number;
  readonly running: number;
  readonly heads: number;
  readonly first_is_head: number;
  readonly undated: number;
}

const LANES = `
  select lane, sum(status = 'running') as running, sum(head) as heads,
    (select head from deliveries as d where d.lane = deliveries.lane and finished_at is null order by id limit 1) as first_is_head,
    sum(head = 1 and (due_at is null or asked_at is null)) as undated
  from deliveries where finished_at is null group by lane`;

test('of each lane either one is running and none is head, or the first is head and has a due time', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const queue = openQueue();
      const inFlight: InFlightDelivery[] = [];
      const dead: string[] = [];
      for (const step of plan) {
        take(step, queue, inFlight, dead);
        for (const lane of queue.database.prepare<[], LaneRow>(LANES).all()) {
          expect({ ...lane, step }).toMatchObject(
            lane.running === 0
              ? { heads: 1, first_is_head: 1, undated: 0 }
              : { running: 1, heads: 0, undated: 0 },
          );
        }
      }
      queue.database.close();
    }),
    { numRuns: propertyRuns(300) },
  );
});

test('the tables of counts match the rows after any sequence of operations', () => {
  fc.assert(
    fc.property(steps, (plan) => {
      const queue = openQueue();
      const inFlight: InFlightDelivery[] = [];
      const dead: string[] = [];
      for (const step of plan) take(step, queue, inFlight, dead);
      const { database } = queue;
      const rows = (sql: string) => database.prepare(sql).all();

      expect(
        rows('select status, deliveries from delivery_counts where deliveries <> 0 order by status'),
      ).toEqual(
        rows('select status, count(*) as deliveries from deliveries group by status order by status'),
      );
      expect(rows('select * from replay_counts where deliveries <> 0 order by replay_id')).toEqual(
        rows(
          'select replay_id, status, count(*) as deliveries from deliveries group by replay_id, status order by replay_id',
        ),
      );
      database.close();
    }),
    { numRuns: propertyRuns(200) },
  );
});
