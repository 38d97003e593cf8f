/** A store with rows in every table, made by what really happens, and its rows as a copy must have them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.ts';
import { DAY_MS } from '../../../src/kernel/time/durations.ts';
import type { NewAuditEntry } from '../../../src/store/audit.ts';
import type { ContentPlace } from '../../../src/store/privacy.ts';
import { copyStore, type CopiedStore, type CopyStoreOptions } from '../../../src/store/copy/copy-store.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { decodeText } from '../../../src/store/postgres/sql/text-codec.ts';
import type { Store } from '../../../src/store/store.ts';
import { manualClock, type ManualClock } from '../../../src/testing/manual-clock.ts';
import { bytes, route, sampleEvent, sampleRejection } from '../../conformance/sample-event.ts';
import { connected } from './empty-database.ts';
import { createReplay } from '../../support/replay-job.ts';

const copyEntry: NewAuditEntry = {
  ...{ at: 9, place: 'command-line', actor: 'ana', address: null, action: 'copyStore', unmasked: false },
  ...{ subject: { to: 'there' }, reason: null, result: 'done', status: null, times: 1, ends: null },
};

export const unwatched: CopyStoreOptions['watch'] = {
  begin: () => undefined,
  rows: () => undefined,
  signal: new AbortController().signal,
};

export function copy(from: string, to: string, more: Partial<CopyStoreOptions> = {}): Promise<CopiedStore> {
  return copyStore({ from, to, clock: manualClock(), watch: unwatched, entry: () => copyEntry, ...more });
}

/** The path of a file that does not exist, in a folder that is removed when the test ends. */
export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-copy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'portaria.db');
}

export async function openAt(database: string, clock = manualClock()): Promise<Store> {
  const store = await openStore(
    { database, databaseDirect: null },
    { role: 'owner', clock, random: seededRandom(7) },
  );
  onTestFinished(() => store.close());
  return store;
}

type PlainValue = string | number | boolean | bigint | Date | Uint8Array | null;

/** The rows of all tables, each as text by its columns. */
export type PlainRows = Readonly<Record<string, readonly Readonly<Record<string, string | null>>[]>>;

/** Reads all rows of an SQLite file as any program does. */
export function rowsInFile(file: string): PlainRows {
  const database = new BetterSqlite3(file, { readonly: true });
  const tables = database
    .prepare<[], string>("select name from sqlite_schema where type = 'table'")
    .pluck()
    .all();
  const rows = tables.map((table) => [
    table,
    database.prepare<[], Record<string, PlainValue>>(`select * from "${table}"`).all().map(asText),
  ]);
  database.close();
  return Object.fromEntries(rows) as PlainRows;
}

/** Reads all rows of a database in PostgreSQL as any program does. */
export async function rowsInPostgres(url: string): Promise<PlainRows> {
  const client = await connected(url);
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`,
  );
  const found: Record<string, PlainRows[string]> = {};
  for (const { name } of tables)
    found[name] = (await client.query<Record<string, PlainValue>>(`select * from "${name}"`)).rows
      .map(asText)
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [column, value && decodeText(value)]),
        ),
      );
  return found;
}

function asText(row: Record<string, PlainValue>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (value === null) return [column, null];
      return [column, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)];
    }),
  );
}

/** Texts that one of the stores cannot hold as they are, or orders in another way. */
const oddTexts = ['a\u0000b', '\u0001', '\u00010', '\ud800 half', 'Zebra', 'ábaco', '\u{1f600}', '\uffee'];

/** Fills an empty store. Every table has rows then, and no delivery runs. */
export async function fill(store: Store, clock: ManualClock): Promise<void> {
  const odd = oddTexts;
  const now = () => clock.now();
  const accept = (sketch: Parameters<typeof sampleEvent>[0], routes = [route('anyone')]) =>
    store.accept(sampleEvent({ receivedAt: now(), ...sketch }), routes);
  const claimed = async (...handlers: readonly string[]) =>
    (await store.claim({ now: now(), limit: 100, handlers })).deliveries;
  await store.registerProcess({ id: 'p', host: 'h', pid: 1, version: '1', startedAt: 1, handlers: [] }, [
    { type: 'kind', name: 'ours', source: null, origin: 'a.ts', hash: 'x' },
    { type: 'kind', name: 'ours', source: 'shop', origin: 'a.ts', hash: 'y' },
  ]);

  // Events that will be pruned, and one whose machine leaves a base.
  for (let number = 1; number <= 3; number += 1)
    await accept({ subject: `company:${String(number)}`, content: 'old', version: '1' }, []);
  await accept({ subject: 'login:1', content: 'old', version: '1' }, [route('login')]);
  const [fold] = await claimed('login');
  const state = { phase: 'started', text: odd.join() };
  const machine = { machine: 'login', state, version: '1', lastEventId: fold!.event.id, revision: 0 };
  const effects = [{ eventId: fold!.event.id, name: 'tell', change: { after: 1 }, late: false }];
  const anomalies = [{ eventId: fold!.event.id, message: 'odd' }];
  await store.complete(
    fold!,
    { status: 'succeeded', machine: { ...machine, anomalies, effects, refolded: false } },
    { now: now(), next: false },
  );
  for (const delivery of await claimed('login/effects'))
    await store.complete(delivery, { status: 'succeeded' }, { now: now(), next: false });
  clock.advance(2 * DAY_MS);
  const base = {
    machine: 'login',
    source: 'default',
    subject: { family: 'login', id: '1' },
    state,
    through: 4,
    revision: 1,
  };
  await store.pruneEvents({
    events: [1, 2, 4],
    machines: ['login'],
    bases: [base],
    before: now(),
    now: now(),
  });
  await store.recordPruning({ lastRunAt: now(), nextRunAt: now() + 1, firstBody: 3 });

  // Repeats, conflicts, stale and ambiguous events, odd texts and any bytes.
  await accept({ subject: 'company:3', content: 'old', version: '1' });
  await accept({ subject: 'company:3', content: 'new', version: '2', messageId: 'm\u0000-1' });
  await accept({ subject: 'company:3', content: 'other', version: '3', messageId: 'm\u0000-1' });
  await accept({ subject: 'company:3', content: 'late', version: '0' });
  await accept({ subject: 'company:4', content: 'A' });
  await accept({ subject: 'company:4', content: 'B' });
  await accept({ subject: 'company:4', content: 'A' });
  for (const text of odd)
    await accept({
      ...{ subject: `company:${text}`, kind: `odd.${text}`, recognized: false, version: text },
      ...{ headers: { 'user-agent': text }, messageId: text, source: `shop${text}` },
      body: Uint8Array.from({ length: 300 }, (_, index) => index % 256),
    });
  await accept({
    subject: 'company:long',
    content: 'x'.repeat(100_000),
    kind: `k${'é'.repeat(300)}`,
    recognized: false,
  });

  // Deliveries in every state, of all orders; failed attempts; dead letters, one retried and discarded.
  const routes = [route('ordered'), route('single', { order: 'handler' }), route('free', { order: 'none' })];
  for (let number = 1; number <= 12; number += 1)
    await accept({ subject: `lane:${String(number % 3)}`, content: String(number) }, routes);
  for (const delivery of await claimed('ordered'))
    await store.reschedule(delivery, {
      now: now(),
      dueAt: now() + 60_000,
      reason: 'busy \u0000',
      durationMs: 12.4,
    });
  for (const [index, delivery] of (await claimed('free')).entries())
    await store.complete(
      delivery,
      index % 2 === 0
        ? { status: 'dead', reason: `error ${odd[index % odd.length] ?? ''}`, durationMs: 3 }
        : { status: 'skipped', reason: 'no' },
      { now: now(), next: true },
    );
  const dead = (await store.deliveries({ status: 'dead' }, { order: 'oldest', limit: 9 })).map(
    ({ id }) => id,
  );
  await store.retryDeliveries(dead.slice(0, 1), now());
  await store.discardDeliveries(dead.slice(1, 2), { reason: 'gone', now: now() });

  await store.recordMonitoring({
    ...{ record: 'look', source: 'default', family: 'charge', at: now(), wholeAt: now(), equal: 1 },
    differing: { behind: 1 },
    differences: [{ id: '7', outcome: 'behind', fields: ['status'], since: now(), quarantined: null }],
  });
  const taking = { bucket: 'anyone', key: '', delivery: 'd1', intervalUs: 1_000_000, burst: 1 };
  await store.takeRates([taking]);
  // A replay, a job with items, pauses that park heads.
  const filter = { kinds: ['company.updated'] };
  const replay = await createReplay(store, { filter, handlers: ['anyone'] }, now());
  await store.enqueueReplay(replay.id, [{ route: route('anyone'), events: [5, 7] }], {
    cursor: '7',
    now: now(),
  });
  await createReplay(store, { filter, handlers: [], ifNotSucceeded: true, target: 'http://t' }, now());
  const selection = { deliveries: { status: 'dead' as const, endedUpTo: now() } };
  const job = await store.createJob(
    {
      ...{ plan: 'plan', action: 'retry', selection, planned: 2, staged: true, rate: 0.5, stopAt: 0.2 },
      ...{ reason: 'again', requestedBy: 'ana' },
    },
    now(),
  );
  await store.stepJob(job.id, { items: dead.slice(2, 4), now: now() });
  const about = { reason: 'night', pausedBy: 'ana', until: null, now: now() };
  await store.pause({ handler: null, source: null, subject: { family: 'lane', id: '1' } }, about);
  await store.pause({ handler: 'later', source: 'shop', subject: null }, { ...about, until: now() + DAY_MS });
  const ended = await store.pause({ handler: 'gone', source: null, subject: null }, about);
  await store.resume([ended.id]);
  clock.advance(60_000);
  await store.release(await claimed('ordered'), { dueAt: now() });

  // The quarantine: held, released, dropped, erased.
  const ids: string[] = [];
  for (const [index, text] of odd.entries())
    ids.push(
      (
        await store.quarantine(
          sampleRejection({ body: bytes(`{${String(index)}`), kind: text, receivedAt: now() }),
        )
      ).id,
    );
  await store.quarantine(sampleRejection({ body: bytes('{0'), receivedAt: now() }));
  await store.quarantine(sampleRejection({ body: bytes('{'), senderVerified: false, reason: 'malformed' }));
  await store.accept(sampleEvent({ subject: 'company:released' }), [], { releases: ids[1]! });
  await store.pruneQuarantine([3], now() + 1);

  // An erased person, and a hold.
  const erasure = await store.beginErasure({ requestedBy: 'dpo', reason: 'asked', identifiers: [] });
  for (const place of ['event', 'quarantine'] satisfies ContentPlace[]) {
    const contents = await store.contents(place, { after: 2, limit: 100 });
    const content = contents.find(({ body }) => body !== null);
    const body = { before: content!.body!, after: bytes('{"type":"company.updated","data":null}') };
    await store.eraseContents([{ place, row: content!.row, body }]);
  }
  await store.finishErasure(erasure, '{"receipt":1}');
  await store.hold(
    [
      { family: 'company', id: '4' },
      { family: 'company', id: odd[0]! },
    ],
    { reason: 'case', placedBy: 'dpo' },
  );

  // What operators and monitoring record.
  for (let number = 0; number < 5; number += 1)
    await store.appendAudit({ ...copyEntry, at: now(), action: 'showEvent' });
  clock.advance(1_000);
  await store.appendAudit({
    ...copyEntry,
    at: now(),
    reason: odd.filter((text) => text.isWellFormed()).join(' '),
  });
  await store.pruneAudit(now(), 3);
  await store.endSession('session', now() + DAY_MS);
  await store.recordMonitoring({ record: 'arrivals', ...(await store.uncountedArrivals(8)) });
  await store.recordMonitoring({
    record: 'rejections',
    rejections: [
      { source: 'shop', hour: 400_000, rejections: 2, lastReason: 'too-old', clockSeconds: 4_000 },
    ],
  });
  await store.recordMonitoring({
    record: 'observed',
    observed: [{ source: 'shop', scheme: 'stripe', hour: 400_000, webhooks: 2 }],
  });
  await store.recordMonitoring({
    ...{ record: 'problems', begun: [{ key: 'k', beganAt: now(), report: '{}' }] },
    ...{ ended: [], alerts: ['one', 'two'], now: now() },
  });
  await store.recordMonitoring({ record: 'alert-sent', id: 'a2' });
  const outage = { cause: 'stalled', beganAt: now(), endedAt: now(), handler: 'h', refused: 1 } as const;
  await store.recordMonitoring({ record: 'outage', ...outage });
  await store.recordMonitoring({
    ...{
      record: 'activity',
      at: 300_000 * Math.floor(now() / 300_000),
      received: 1,
      backlog: 2,
      oldestMs: 3,
    },
    handlers: [
      { handler: 'anyone', succeeded: 1, failed: 2, dead: 0, skipped: 0, breakerMs: 0, durations: [[1, 2]] },
    ],
  });
  await store.unregisterProcess('p');
}

/** Puts a small store into a new file, and returns its path. */
export async function smallStore(): Promise<string> {
  const database = newFile();
  const store = await openAt(database);
  for (const id of ['1', '2', '3'])
    await store.accept(sampleEvent({ subject: `company:${id}` }), [route('anyone')]);
  await store.appendAudit(copyEntry);
  await store.close();
  return database;
}
