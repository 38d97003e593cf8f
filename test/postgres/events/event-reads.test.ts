/** Reads and searches of events while other processes store some. */
import { describe, expect, test } from 'vitest';
import type { EventFilter, EventPage } from '../../../src/store/queries.ts';
import type { Store } from '../../../src/store/store.ts';
import { drawEventNumbers, eventsCompleteThrough } from '../../../src/store/postgres/events/insert-events.ts';
import { createQueryBuilder } from '../../../src/store/postgres/sql/connection.ts';
import { createSession } from '../../../src/store/postgres/sql/session.ts';
import { sampleEvent } from '../../conformance/sample-event.ts';
import { openFixture } from '../../conformance/store-fixture.ts';
import { postgres } from '../kit/postgres-places.ts';
import { rawClient } from '../kit/raw-client.ts';

const PAST = 120;

/** Two processes that accept and one that reads, after so many events. */
async function threeProcesses(past = PAST) {
  const fixture = await openFixture(postgres);
  const reader = await fixture.openAgain('guest');
  const other = await fixture.openAgain('owner');
  let accepted = 0;
  /** Accepts an event in each of two processes, of several subjects. */
  const acceptMore = async () => {
    const each = [fixture.store, other].flatMap((store) => [store, store]);
    await Promise.all(
      each.map((store) => {
        accepted += 1;
        const subject = `company:${String(accepted % 7)}`;
        return store.accept(sampleEvent({ subject, content: String(accepted) }), []);
      }),
    );
  };
  for (let at = 0; at < past / 4; at += 1) await acceptMore();
  return { ...fixture, reader, other, acceptMore };
}

async function allIds(store: Store, filter: EventFilter = {}): Promise<readonly string[]> {
  const found = await store.events(filter, { order: 'oldest', limit: 10_000 });
  return found.map(({ id }) => id);
}

/** Reads all pages, and does something at the same time as each. */
async function pagesOf(
  read: (after: string | undefined) => Promise<{ ids: readonly string[]; next: string | undefined }>,
  meanwhile: () => Promise<void>,
): Promise<readonly string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const [page] = await Promise.all([read(after), meanwhile()]);
    found.push(...page.ids);
    after = page.next;
  } while (after !== undefined);
  return found;
}

describe('events that are read while other processes accept', () => {
  test.each(['oldest', 'newest'] as const)(
    'pages from the %s on hold each event of the past once, in order',
    async (order) => {
      const { reader, acceptMore } = await threeProcesses();
      const past = await allIds(reader);
      expect(past).toHaveLength(PAST);
      let meanwhile = 0;
      const found = await pagesOf(
        async (after) => {
          const page: EventPage = { order, limit: 7, ...(after !== undefined && { after }) };
          const ids = (await reader.events({}, page)).map(({ id }) => id);
          return { ids, next: ids.length === 7 ? ids.at(-1) : undefined };
        },
        async () => {
          if ((meanwhile += 1) <= 12) await acceptMore();
        },
      );
      const numbers = found.map((id) => Number(id.split('-')[1]));
      const sorted = numbers.toSorted((one, next) => (order === 'oldest' ? one - next : next - one));
      expect(numbers).toEqual(sorted);
      expect(new Set(found).size).toBe(found.length);
      expect(past.filter((id) => !found.includes(id))).toEqual([]);
      // Who follows the log sees the present, too.
      if (order === 'oldest') expect(found).toEqual(await allIds(reader));
    },
  );

  test('a search in steps, and the pages of a subject, hold each event of the past once', async () => {
    const { reader, acceptMore } = await threeProcesses();
    for (const filter of [{}, { subject: { family: 'company', id: '3' } }]) {
      const past = await allIds(reader, filter);
      const found = await pagesOf(async (after) => {
        const from = after === undefined ? {} : { after };
        const step = await reader.scanEvents({ filter, content: null, limit: 7, maxMs: 1_000, ...from });
        return {
          ids: step.found.map(({ id }) => id),
          next: step.isEnd ? undefined : (step.through ?? undefined),
        };
      }, acceptMore);
      expect(new Set(found).size).toBe(found.length);
      expect(past.filter((id) => !found.includes(id))).toEqual([]);
    }
  });

  test('who follows the log waits for a number that a running transaction has drawn', async () => {
    const { store, reader, stored } = await threeProcesses(4);
    const before = await allIds(reader);
    const client = await rawClient(store);
    const session = createSession(client, createQueryBuilder());
    await client.query('begin');
    const number = Number((await drawEventNumbers(session, 1))[0]);
    const later = await stored({ subject: 'company:8' }, []);

    expect(await allIds(reader)).toEqual(before);
    expect(Number(await eventsCompleteThrough(session))).toBeLessThan(number);
    const newest = await reader.events({}, { order: 'newest', limit: 1 });
    expect(newest.map(({ id }) => id)).toEqual([later]);
    expect((await reader.events({ ids: [later] }, { order: 'oldest', limit: 1 })).length).toBe(1);

    await client.query(
      `insert into events (id, kind, recognized, subject_id, digest_key, digest, verdict, flags, received_at)
       select $1, 'company.updated', 1, id, 1, '', 'new', '[]', 1 from subjects limit 1`,
      [number],
    );
    await client.query('commit');
    const earlier = `${reader.storeId}-${String(number)}`;
    expect(await allIds(reader)).toEqual([...before, earlier, later]);
  });

  test('a number that is given up holds nobody up', async () => {
    const { store, reader, stored } = await threeProcesses(4);
    const client = await rawClient(store);
    await client.query('begin');
    await drawEventNumbers(createSession(client, createQueryBuilder()), 3);
    const later = await stored({ subject: 'company:8' }, []);
    await client.query('rollback');
    expect((await allIds(reader)).at(-1)).toBe(later);
  });

  test('gaps between numbers make no search longer, and count as no events', async () => {
    const { store, reader, stored } = await threeProcesses(8);
    const client = await rawClient(store);
    await client.query(`select setval('events_id_seq', 4000000000000)`);
    const last = await stored({ subject: 'company:8' }, []);
    const scan = { filter: { verdict: 'new' }, content: null, limit: 100, maxMs: 0 } as const;
    const step = await reader.scanEvents(scan);
    expect(step).toMatchObject({ looked: 9, isEnd: true, through: `${store.storeId}-1` });
    expect(step.found.map(({ id }) => id)[0]).toBe(last);
    const bounds = { max: 100, maxMs: 0 };
    expect(await reader.countEvents({ verdict: 'new' }, bounds)).toEqual({ count: 9, isWhole: true });
    expect(await reader.countEvents({}, bounds)).toEqual({ count: 9, isWhole: true });
  });
});
