/** Replays with several processes: deliveries are stored once, and in the order of their lanes. */
import { expect, test } from 'vitest';
import { eventNumber } from '../../../src/handle/fold/event-number.ts';
import { CONTENT_LOCK } from '../../../src/store/postgres/sql/advisory-locks.ts';
import type { Store } from '../../../src/store/store.ts';
import { route } from '../../conformance/sample-event.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { rawClient } from '../kit/raw-client.ts';
import { postgres } from '../kit/postgres-places.ts';
import { createReplay } from '../../support/replay-job.ts';

const request = { handlers: ['anyone'] };

/** Two processes, a replay, and events of a few subjects without deliveries. */
async function withEvents(count: number) {
  const fixture = await openFixture(postgres);
  const { store, clock } = fixture;
  const other = await fixture.openAgain('owner');
  const events: number[] = [];
  for (let at = 0; at < count; at++) {
    const sketch = { subject: `company:${String(at % 3)}`, content: String(at) };
    events.push(eventNumber(await fixture.stored(sketch, [])));
  }
  const { id } = await createReplay(store, request, clock.now());
  const options = { cursor: String(events.at(-1)), now: clock.now() };
  return { ...fixture, other, events, id, options };
}

/** The deliveries that can be claimed, by id. */
async function headsOf(store: Store): Promise<readonly { readonly id: string; readonly handler: string }[]> {
  const client = await rawClient(store);
  const { rows } = await client.query(
    "select 'd' || id as id, handler from deliveries where head = 1 order by id",
  );
  return rows as { id: string; handler: string }[];
}

test('a page that two processes enqueue at once is stored once', async () => {
  const { store, other, events, id, options } = await withEvents(30);
  const page = [
    { route: route('anyone'), events },
    { route: route('ledger', { order: 'handler' }), events },
    { route: route('mailer', { order: 'none' }), events },
  ];
  await Promise.all([store, other, store, other].map((one) => one.enqueueReplay(id, page, options)));
  expect(await store.job(id)).toMatchObject({ acted: 90 });
  const records = await store.deliveries({}, { order: 'oldest', limit: 100 });
  expect(records).toHaveLength(90);
  // One head for each lane: three subjects, one handler, thirty without order.
  const heads = await headsOf(store);
  expect(heads.map(({ handler }) => handler).toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => 'anyone'),
    'ledger',
    ...Array.from({ length: 30 }, () => 'mailer'),
  ]);
});

test('each lane has its replayed deliveries in order of arrival, beside webhooks that arrive', async () => {
  const { store, other, events, id, options, accept } = await withEvents(30);
  const arriving = Array.from({ length: 30 }, (_, at) =>
    accept({ subject: `company:${String(at % 3)}`, content: `live ${String(at)}` }),
  );
  const pages = [events.slice(0, 10), events.slice(10, 20), events.slice(20)];
  for (const [at, page] of pages.entries())
    await [store, other][at % 2]?.enqueueReplay(id, [{ route: route('anyone'), events: page }], options);
  await Promise.all(arriving);

  const records = await store.deliveries({ handler: 'anyone' }, { order: 'oldest', limit: 100 });
  const replayed = records.filter(({ replay }) => replay === id);
  const heads = await headsOf(store);
  for (const subject of ['0', '1', '2']) {
    const lane = replayed.filter((record) => record.subject.id === subject);
    const numbers = lane.map(({ eventId }) => eventNumber(eventId));
    expect(numbers).toEqual(numbers.toSorted((one, two) => one - two));
    const first = records.find((record) => record.subject.id === subject);
    expect(heads).toContainEqual({ id: first?.id, handler: 'anyone' });
  }
  expect(heads).toHaveLength(3);
  expect(records).toHaveLength(60);
});

test('an event that is pruned while a page waits for it is left out', async () => {
  const { store, events, id, options } = await withEvents(2);
  const client = await rawClient(store);
  await client.query('begin');
  // The lock of whoever removes contents; see advisory-locks.ts.
  await client.query('select pg_advisory_xact_lock($1, 0)', [CONTENT_LOCK]);
  const enqueueing = store.enqueueReplay(id, [{ route: route('anyone'), events }], options);
  await expect
    .poll(async () => {
      const waiting = 'select from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))';
      return (await client.query(waiting)).rowCount;
    })
    .toBe(1);
  await client.query('delete from event_contents where event_id = 1');
  await client.query('update events set pruned_at = 1 where id = 1');
  await client.query('commit');
  await enqueueing;
  const records = await store.deliveries({}, { order: 'oldest', limit: 9 });
  expect(records.map(({ eventId }) => eventNumber(eventId))).toEqual([2]);
});

test('what two processes have sent to a URL adds up', async () => {
  const { store, other, id, options } = await withEvents(1);
  const sent = { ...options, sent: { succeeded: 3, skipped: 0, failed: ['1'] } };
  await Promise.all([store, other, store, other].map((one) => one.enqueueReplay(id, [], sent)));
  expect(await other.job(id)).toMatchObject({ acted: 16, succeeded: 12, failed: 4, skipped: 0 });
});
