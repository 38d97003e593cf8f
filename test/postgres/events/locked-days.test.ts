/** However many days are stored, a statement locks the tables of few: those of the events that it is about. */
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { openFixture, type StoreFixture } from '../../conformance/store-fixture.ts';
import { createReplay } from '../../support/replay-job.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';

const DAY_MS = 86_400_000;
const DAYS = 12;

/** An event of each day, the oldest first; the first day is pruned. */
type Act = (fixture: StoreFixture, ids: readonly string[]) => Promise<unknown>;

const subject = { family: 'company', id: '0' };
const selection = { filter: {}, succeeded: [], inStatus: [] };

const acts: Readonly<Record<string, Act>> = {
  'the numbers': ({ store }) => store.statistics(),
  'the numbers of each page': ({ store }) => store.totals(),
  'an event': ({ store }, ids) => store.event(ids.at(-1) ?? ''),
  'a page of events': ({ store }) => store.events({}, { order: 'newest', limit: 10 }),
  'the sizes of bodies': ({ store }, ids) => store.bodySizes([ids[1] ?? '', ids.at(-1) ?? '']),
  'the history of a subject': ({ store }) => store.versionOrder({ source: 'default', subject }),
  'the numbers of a replay': async ({ store }) => {
    const counted = await store.countReplayEvents({ ...selection, effects: [] });
    expect(counted).toMatchObject({ subjects: DAYS - 1, pruned: 1 });
  },
  'the events of a replay': async ({ store }) => {
    const groups = await store.replayEvents(selection, { after: null, limit: 100 });
    expect(groups.flatMap(({ events }) => events)).toHaveLength(DAYS - 1);
  },
  'a step of a replay': async ({ store, clock }) => {
    const now = clock.now();
    const { id } = await createReplay(store, { handlers: ['anyone'] }, now);
    const deliveries = [{ route: route('anyone'), events: [1, 2, DAYS] }];
    await store.enqueueReplay(id, deliveries, { cursor: String(DAYS), now });
    expect(await store.job(id)).toMatchObject({ acted: 2 });
  },
  'a claim of an old event and a new one': async ({ store, clock }) => {
    const now = clock.now();
    const { id } = await createReplay(store, { handlers: ['anyone'] }, now);
    const deliveries = [{ route: route('anyone'), events: [2, DAYS] }];
    await store.enqueueReplay(id, deliveries, { cursor: String(DAYS), now });
    const claimed = await store.claim({ handlers: ['anyone'], limit: 2, now });
    expect(claimed.deliveries).toHaveLength(2);
  },
  'the search for undelivered events': ({ store }) => store.undelivered(['anyone'], 100),
  'the copy of an event': async ({ store, clock }) => {
    const event = sampleEvent({
      subject: 'company:1',
      content: 'copied',
      receivedAt: clock.now() - 9 * DAY_MS,
    });
    expect(await store.accept(event, [], { copied: true })).toMatchObject({ status: 'stored' });
  },
  'the subjects of a company, after an import': async ({ store, clock }) => {
    const receivedAt = clock.now() - 9 * DAY_MS;
    await store.accept(sampleEvent({ content: 'copied', receivedAt }), [], { copied: true });
    const { subjects } = await store.companySubjects('1', 2);
    expect(subjects).toHaveLength(1);
  },
  'the search for old events': async ({ store, clock }) => {
    const page = await store.prunableEvents({ before: clock.now(), after: 0, limit: 2 });
    expect(page).toMatchObject({ rows: [2, 3], next: 3 });
  },
  'a step of pruning': async ({ store, clock }) => {
    const now = clock.now();
    const request = { events: [2, DAYS], bases: [], machines: [], before: now, now };
    expect(await store.pruneEvents(request)).toMatchObject({ events: 2 });
  },
  'the pruning of a day': async (fixture) => {
    const first = await pruneDay(fixture);
    expect(await pruneDay(fixture, first?.day)).toMatchObject({ events: 1 });
  },
  'space that is given back': ({ store }) => store.giveBackSpace(1),
  'a page of a search for a person': async ({ store }) => {
    const contents = await store.contents('event', { after: 1, limit: 2 });
    expect(contents.map(({ row, body }) => [row, body !== null])).toEqual([
      [2, true],
      [3, true],
    ]);
  },
  'the erasure of an event': async ({ store }) => {
    const [content] = await store.contents('event', { after: 1, limit: 1 });
    const before = content?.body ?? new Uint8Array();
    const changes = [{ place: 'event' as const, row: 2, body: { before, after: new Uint8Array([1]) } }];
    expect(await store.eraseContents(changes)).toEqual(['changed']);
  },
};

/** Prunes the day after one, as `serve` does; the first one at first. */
async function pruneDay({ store, clock }: StoreFixture, after: number | null = null) {
  const now = clock.now();
  const pruned = await store.pruneDay?.({ before: now, after, now, step: () => Promise.resolve(true) });
  return pruned ?? null;
}

test.each(Object.entries(acts))('%s', async (_, act) => {
  const fixture = await openFixture(postgres);
  const { stored, clock, store } = fixture;
  const ids: string[] = [];
  for (let day = 0; day < DAYS; day += 1) {
    ids.push(await stored({ subject: `company:${String(day)}` }, []));
    clock.advance(DAY_MS);
  }
  await pruneDay(fixture);
  const client = await rawClient(store);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  await act(fixture, ids);
  const sent = query.mock.calls.map(([statement]) => statement as unknown as pg.QueryConfig);
  query.mockRestore();

  // Those that can run again, without those that name the table of a day, which may be gone.
  const repeatable = sent.filter(
    ({ text }) =>
      /^\s*(?:select|with (?!inserted)|update|delete|insert into pruned_days)/u.test(String(text)) &&
      !/event_contents_/u.test(String(text)),
  );
  expect(repeatable.length).toBeGreaterThan(0);
  for (const { text, values } of repeatable) {
    await client.query('begin');
    await client.query({ text, values: values ?? [] });
    const { rows } = await client.query<{ days: number }>(
      `select count(distinct relation)::integer as days from pg_locks
       join pg_inherits on inhrelid = relation and inhparent = 'event_contents'::regclass
       where pid = pg_backend_pid()`,
    );
    await client.query('rollback');
    expect(rows[0]?.days, text).toBeLessThanOrEqual(2);
  }
});
