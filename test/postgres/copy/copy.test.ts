/** `store copy`: a store moves from SQLite into PostgreSQL, and is the same store. */
import BetterSqlite3 from 'better-sqlite3';
import { expect, test } from 'vitest';
import { manualClock } from '../../../src/testing/manual-clock.ts';
import { route, sampleEvent } from '../../conformance/sample-event.ts';
import { copy, fill, newFile, openAt, rowsInFile, rowsInPostgres } from '../kit/copied-store.ts';
import { connected, emptyDatabase } from '../kit/empty-database.ts';

/** What stays behind: records of running processes, and what SQLite has for itself. */
const leftOut = ['processes', 'open_breakers', 'sqlite_sequence'];
/** A bound that SQLite keeps; sizes, which PostgreSQL computes: it stores some characters as two. */
const ofSqlite = ['retention.first_body', 'quarantine.bytes', 'quarantine_counts.bytes'];
/** PostgreSQL counts long kinds together. */
const countsOfKinds = ['event_counts', 'received_counts'];

async function filled() {
  const [address, clock] = [newFile(), manualClock()];
  const store = await openAt(address, clock);
  await fill(store, clock);
  return { address, clock, store };
}

test('a store has the same rows in PostgreSQL, in all tables and columns', async () => {
  const { address: file, store } = await filled();
  const { events, repeats, byVerdict, byKind } = await store.statistics();
  await store.close();
  const address = await emptyDatabase();

  const copied = await copy(file, address);

  expect(copied).toMatchObject({ from: file, to: address, storeId: store.storeId });
  const [original, found] = [rowsInFile(file), await rowsInPostgres(address)];
  const empty = Object.keys(original).filter((table) => original[table]?.length === 0);
  expect(empty.toSorted()).toEqual(['former_store_ids', 'open_breakers', 'processes']);
  const contents = new Map(found['event_contents']?.map((row) => [row['event_id'], row]));
  for (const [table, rows] of Object.entries(original)) {
    if ([...leftOut, ...countsOfKinds].includes(table)) continue;
    const columns = Object.keys(rows[0] ?? {}).filter((column) => !ofSqlite.includes(`${table}.${column}`));
    const picked = (row: Readonly<Record<string, string | null>>) =>
      JSON.stringify(columns.map((column) => row[column] ?? null));
    const moved = (found[table] ?? []).flatMap((row) => {
      // PostgreSQL counts subjects, too.
      if (table === 'row_counts' && row['name'] === 'subjects') return [];
      return table === 'events' ? [{ headers: '{}', ...row, ...contents.get(row['id'] ?? '') }] : [row];
    });
    expect(moved.map(picked).toSorted(), table).toEqual(rows.map(picked).toSorted());
  }
  const opened = await openAt(address);
  const counted = await opened.statistics();
  expect(counted).toMatchObject({ events, repeats, byVerdict });
  const short = byKind.filter(({ kind }) => kind.length <= 256);
  expect(counted.byKind.toSorted(byName)).toEqual(short.toSorted(byName));
  expect(counted.otherKinds?.events).toBe(1);
});

const byName = (one: { readonly kind: string }, other: { readonly kind: string }) =>
  one.kind < other.kind ? -1 : 1;

test('every column of SQLite has one in PostgreSQL, or is left out for a reason', async () => {
  const file = newFile();
  await (await openAt(file)).close();
  const database = new BetterSqlite3(file);
  const columns = database
    .prepare<[], string>(
      `select tables.name || '.' || columns.name from sqlite_schema as tables, pragma_table_xinfo(tables.name) as columns
       where tables.type = 'table'`,
    )
    .pluck()
    .all();
  const numbers = database
    .prepare<[], string>("select name from sqlite_schema where sql like '%autoincrement%'")
    .pluck()
    .all();
  database.close();
  const address = await emptyDatabase();
  await (await openAt(address)).close();
  const client = await connected(address);
  const { rows } = await client.query<{ name: string; draws: boolean }>(
    `select table_name || '.' || column_name as name, is_identity = 'YES' as draws
     from information_schema.columns where table_schema = 'public'`,
  );
  const there = new Set(rows.map(({ name }) => name.replace('event_contents.', 'events.')));
  const forgotten = columns.filter(
    (column) => !there.has(column) && !leftOut.includes(column.split('.')[0] ?? ''),
  );
  expect(forgotten).toEqual(['retention.first_body']);
  // What SQLite numbers for ever, PostgreSQL numbers, too. Entries of the audit count by themselves.
  const drawn = rows.filter(({ draws }) => draws).map(({ name }) => name);
  expect(numbers.filter((table) => !drawn.includes(`${table}.id`))).toEqual(['audit']);
});

test('the copy goes on as the store would have', async () => {
  const { address, clock, store } = await filled();
  const verified = await store.checkAudit();
  const pending = await store.deliveries(
    { status: 'pending', handler: 'ordered' },
    { order: 'oldest', limit: 99 },
  );
  const totals = await store.statistics();
  await store.close();
  const to = await emptyDatabase();
  await copy(address, to);
  const numbers = rowsInFile(address)['sqlite_sequence'] ?? [];
  const client = await connected(to);
  for (const { name, seq } of numbers) {
    if (name === 'audit' || seq === '0') continue;
    const { rows } = await client.query(`select last_value as last from ${String(name)}_id_seq`);
    expect(rows, String(name)).toEqual([{ last: seq }]);
  }
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
