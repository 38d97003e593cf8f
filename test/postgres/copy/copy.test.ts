/** `store copy`: a store moves between SQLite and PostgreSQL, or between two of a kind, and is the same store. */
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { copy, fill, newFile, openAt, rowsOf, wellFormedTexts } from '../kit/copied-store.ts';
import { emptyDatabase } from '../kit/empty-database.ts';

const places = { SQLite: async () => newFile(), PostgreSQL: emptyDatabase };

async function filled(kind: keyof typeof places) {
  const [address, clock] = [await places[kind](), manualClock()];
  const store = await openAt(address, clock);
  await fill(store, clock, kind === 'PostgreSQL' ? wellFormedTexts : undefined);
  return { address, clock, store };
}

/** All rows of an SQLite file, as any program reads them. */
function plainRows(file: string): Record<string, readonly string[]> {
  const database = new BetterSqlite3(file, { readonly: true });
  const tables = database
    .prepare<[], string>("select name from sqlite_schema where type = 'table' and name <> 'sqlite_sequence'")
    .pluck()
    .all();
  const rows = tables.map((table) => [
    table,
    database
      .prepare(`select * from "${table}"`)
      .all()
      .map((row) => JSON.stringify(row))
      .toSorted(),
  ]);
  const triggers = database
    .prepare("select name, sql from sqlite_schema where type = 'trigger' order by name")
    .all();
  const numbers = database.prepare('select name, seq from sqlite_sequence where seq > 0 order by name').all();
  database.close();
  return Object.fromEntries([...rows, ['triggers', triggers], ['numbers', numbers]]) as ReturnType<
    typeof plainRows
  >;
}

test('a store from SQLite to PostgreSQL and back has the same rows in all tables', async () => {
  const { address: file, store } = await filled('SQLite');
  await store.close();
  const [address, back] = [await emptyDatabase(), newFile()];

  const copied = await copy(file, address);
  const original = await rowsOf(file);
  const empty = Object.entries(original).filter(([, rows]) => rows.length === 0);
  expect(empty.map(([name]) => name)).toEqual(['former_store_ids']);
  expect(await rowsOf(address)).toEqual(original);
  expect(copied).toMatchObject({
    from: file,
    to: address,
    storeId: store.storeId,
    isContinued: false,
    interrupted: 0,
  });

  await copy(address, back);
  expect(await rowsOf(back)).toEqual(await rowsOf(address));
  // Beyond the list of what is copied: the second copy has one more entry of the audit, and kinds too long for an index
  // in PostgreSQL are counted together.
  const [before, after] = [plainRows(file), plainRows(back)];
  for (const table of ['event_counts', 'received_counts', 'numbers']) {
    delete before[table];
    delete after[table];
  }
  after['audit']?.slice(-1);
  expect({ ...after, audit: after['audit']?.filter((row) => before['audit']?.includes(row)) }).toEqual(
    before,
  );
});

test('a store from SQLite to SQLite is the same file in all rows', async () => {
  const { address: file, store } = await filled('SQLite');
  await store.close();
  const other = newFile();
  await copy(file, other);
  expect(plainRows(other)).toEqual(plainRows(file));
});

test('a store from PostgreSQL to PostgreSQL has the same rows in all tables', async () => {
  const { address, store } = await filled('PostgreSQL');
  await store.close();
  const other = await emptyDatabase();

  const copied = await copy(address, other);

  const original = await rowsOf(address);
  const empty = Object.entries(original).filter(([, rows]) => rows.length === 0);
  expect(empty.map(([name]) => name)).toEqual(['former_store_ids']);
  expect(await rowsOf(other)).toEqual(original);
  expect(copied).toMatchObject({ from: address, to: other, storeId: store.storeId, isContinued: false });
});

test.each([
  ['SQLite', 'PostgreSQL'],
  ['SQLite', 'SQLite'],
  ['PostgreSQL', 'PostgreSQL'],
] as const)('the copy from %s to %s goes on as the store would have', async (kind, toKind) => {
  const { address, clock, store } = await filled(kind);
  const verified = await store.checkAudit();
  const pending = await store.deliveries(
    { status: 'pending', handler: 'ordered' },
    { order: 'oldest', limit: 99 },
  );
  const totals = await store.statistics();
  await store.close();
  const to = await places[toKind]();
  await copy(address, to);
  const moved = await openAt(to, clock);

  // The audit is whole, and has one more entry.
  expect(await moved.checkAudit(verified.last ?? undefined)).toMatchObject({
    entries: verified.entries + 1,
    problems: [],
    prunedThrough: verified.prunedThrough,
  });
  expect(await moved.audit({}, { order: 'newest', limit: 1 })).toMatchObject([
    { action: 'copyStore', actor: 'ana' },
  ]);
  await moved.appendAudit({ ...(await moved.audit({}, { order: 'newest', limit: 1 }))[0]!, ends: null });
  expect((await moved.checkAudit()).problems).toEqual([]);

  // Repeats are known: by content, by message id, of pruned and of erased events.
  const accept = (sketch: Parameters<typeof sampleEvent>[0]) => moved.accept(sampleEvent(sketch), []);
  expect(await accept({ subject: 'company:1', content: 'old', version: '1' })).toMatchObject({
    status: 'duplicate',
  });
  expect(
    await accept({ subject: 'company:3', content: 'new', version: '2', messageId: 'm\u0000-1' }),
  ).toMatchObject({
    status: 'duplicate',
  });
  expect(await accept({ subject: 'company:3', content: 'z', messageId: 'm\u0000-1' })).toMatchObject({
    status: 'conflict',
  });
  expect(await accept({ subject: 'company:3', content: 'later', version: '1' })).toMatchObject({
    verdict: 'stale',
  });

  // Lanes go on in order; numbers follow those that were given out.
  const stored = await accept({ subject: 'company:new', content: 'new' });
  expect(Number(String('id' in stored && stored.id).split('-')[1])).toBeGreaterThan(totals.events);
  expect(String('id' in stored && stored.id).split('-')[0]).toBe(store.storeId);
  await moved.resume((await moved.pauses()).map(({ id }) => id));
  clock.advance(3_600_000);
  const order: string[] = [];
  for (;;) {
    const { deliveries } = await moved.claim({ now: clock.now(), limit: 100, handlers: ['ordered'] });
    if (deliveries.length === 0) break;
    for (const delivery of deliveries) {
      order.push(delivery.id);
      await moved.complete(delivery, { status: 'succeeded' }, { now: clock.now(), next: false });
    }
  }
  expect(order.toSorted()).toEqual(pending.map(({ id }) => id).toSorted());
  const ofLane = (subject: string) => pending.filter((one) => one.subject.id === subject).map(({ id }) => id);
  for (const subject of ['0', '1', '2']) {
    const lane = ofLane(subject);
    expect(order.filter((id) => lane.includes(id))).toEqual(lane);
  }

  // A machine goes on from its state.
  const subject = { family: 'login', id: '1' };
  const known = await moved.machineState('login', 'default', subject);
  expect(known).toMatchObject({ revision: 1, anomalies: 1, state: { phase: 'started' } });
  expect(await moved.machineBase('login', 'default', subject)).toMatchObject({ through: 4 });
  await moved.accept(sampleEvent({ subject: 'login:1', content: 'next', version: '2' }), [route('login')]);
  const [fold] = (await moved.claim({ now: clock.now(), limit: 1, handlers: ['login'] })).deliveries;
  const machine = {
    machine: 'login',
    state: { phase: 'done' },
    version: '2',
    lastEventId: fold!.event.id,
    revision: 1,
  };
  await moved.complete(
    fold!,
    { status: 'succeeded', machine: { ...machine, anomalies: [], effects: [], refolded: false } },
    { now: clock.now(), next: false },
  );
  expect(await moved.machineState('login', 'default', subject)).toMatchObject({ revision: 2 });
  const failed = (await moved.checks()).filter(({ ok }) => !ok).map(({ name }) => name);
  // The server and the clock of the tests.
  expect(failed.filter((name) => !['fsync', 'full_page_writes', 'clock'].includes(name))).toEqual([]);
});
