import { expect, test } from 'vitest';
import type { RecordedLook } from '../../../src/store/monitoring.ts';
import type { Store } from '../../../src/store/store.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

const HOUR_MS = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const startHour = start / HOUR_MS;

/** Counts all uncounted events, `limit` at a time, as a running process does. */
async function countAll(store: Store, limit = 2): Promise<number> {
  for (let runs = 1; ; runs += 1) {
    const run = await store.uncountedArrivals(limit);
    expect(await store.recordMonitoring({ record: 'arrivals', ...run })).toBe(true);
    if (!run.more) return runs;
  }
}

/** What monitoring records and reads. */
export function monitoringRules(kind: StoreKind): void {
  test('knows of no move of its server while it stays where it was', async () => {
    const { store } = await openFixture(kind);
    expect(await store.serverMove()).toBeNull();
  });

  test('shows when the last event of each source and kind arrived, before and after events are counted', async () => {
    const { store, accept, clock } = await openFixture(kind);
    const sketches = [
      { subject: 'company:1', content: 'A', kind: 'company.created' },
      { subject: 'charge:1', content: 'A', kind: 'charge.created' },
      { subject: 'charge:2', content: 'A', kind: 'charge.created' },
      { subject: 'charge:2', content: 'A', kind: 'charge.created', source: 'branch' },
      { subject: 'odd:1', content: 'A', kind: 'odd.kind', recognized: false },
    ] as const;
    for (const sketch of sketches) {
      await accept(sketch);
      clock.advance(HOUR_MS);
    }
    const charges = { kind: 'charge.created', recognized: true };
    const at = (hour: number) => start + hour * HOUR_MS;
    const received = [
      { ...charges, source: 'branch', events: 1, firstReceivedAt: at(3), lastReceivedAt: at(3) },
      { ...charges, source: 'default', events: 2, firstReceivedAt: at(1), lastReceivedAt: at(2) },
      {
        kind: 'company.created',
        recognized: true,
        source: 'default',
        events: 1,
        firstReceivedAt: at(0),
        lastReceivedAt: at(0),
      },
      {
        kind: 'odd.kind',
        recognized: false,
        source: 'default',
        events: 1,
        firstReceivedAt: at(4),
        lastReceivedAt: at(4),
      },
    ];
    expect(await store.monitoring()).toMatchObject({ received, uncounted: 0, createdAt: start });
    expect(await store.hourlyCounts(0)).toEqual([]);

    expect(await countAll(store)).toBe(3);

    expect((await store.monitoring()).received).toEqual(received);
    expect(await store.hourlyCounts(startHour + 1)).toEqual([
      { source: 'default', kind: 'charge.created', hour: startHour + 1, events: 1 },
      { source: 'default', kind: 'charge.created', hour: startHour + 2, events: 1 },
      { source: 'branch', kind: 'charge.created', hour: startHour + 3, events: 1 },
    ]);
  });

  test('counts each event once, whoever counts it', async () => {
    const { store, accept } = await openFixture(kind);
    await accept({ subject: 'charge:1', content: 'A', kind: 'charge.created' });
    const mine = await store.uncountedArrivals(10);
    const other = await store.uncountedArrivals(10);

    expect(await store.recordMonitoring({ record: 'arrivals', ...mine })).toBe(true);
    expect(await store.recordMonitoring({ record: 'arrivals', ...other })).toBe(false);

    expect((await store.monitoring()).received).toMatchObject([{ events: 1 }]);
    expect(await store.uncountedArrivals(10)).toMatchObject({ arrivals: [], more: false });
  });

  test('keeps the counts of twelve weeks', async () => {
    const { store, accept, clock } = await openFixture(kind);
    await accept({ subject: 'charge:1', content: 'A' });
    await countAll(store);
    clock.advance((12 * 7 * 24 + 1) * HOUR_MS);
    await accept({ subject: 'charge:2', content: 'A' });
    await countAll(store);

    expect(await store.hourlyCounts(0)).toMatchObject([{ hour: startHour + 12 * 7 * 24 + 1 }]);
    expect((await store.monitoring()).received).toMatchObject([{ events: 2, firstReceivedAt: start }]);
  });

  test('an open breaker keeps the time when it opened', async () => {
    const { store } = await openFixture(kind);
    const breakers = (open: readonly { handler: string; until: number; reason: string }[], now: number) =>
      store.recordMonitoring({ record: 'breakers', open, now });
    await breakers([{ handler: 'billing', until: 11, reason: 'down' }], 10);
    await breakers(
      [
        { handler: 'billing', until: 22, reason: 'still down' },
        { handler: 'forward', until: 23, reason: 'gone' },
      ],
      20,
    );
    expect((await store.monitoring()).openBreakers).toEqual([
      { handler: 'billing', since: 10, until: 22, reason: 'still down' },
      { handler: 'forward', since: 20, until: 23, reason: 'gone' },
    ]);

    await breakers([], 30);

    expect((await store.monitoring()).openBreakers).toEqual([]);
  });

  test('keeps the newest twenty outages; processes that share one of the store record one', async () => {
    const { store } = await openFixture(kind);
    const add = (cause: 'store' | 'stalled', beganAt: number, endedAt: number, refused = 0) => {
      const handler = cause === 'store' ? null : 'billing';
      return store.recordMonitoring({ record: 'outage', cause, beganAt, endedAt, handler, refused });
    };
    await Promise.all([add('store', 110, 200, 3), add('store', 100, 190, 4), add('store', 120, 210)]);
    await add('store', 300, 400, 1);
    await add('stalled', 310, 390);
    await add('stalled', 320, 395);

    const ofStore = { cause: 'store', handler: null };
    const stall = { cause: 'stalled', handler: 'billing', refused: 0 };
    expect((await store.monitoring()).outages).toEqual([
      { ...stall, beganAt: 320, endedAt: 395 },
      { ...stall, beganAt: 310, endedAt: 390 },
      { ...ofStore, beganAt: 300, endedAt: 400, refused: 1 },
      { ...ofStore, beganAt: 100, endedAt: 210, refused: 7 },
    ]);

    for (let at = 1_000; at < 1_019; at += 1) await add('stalled', at, at);
    const kept = (await store.monitoring()).outages.map(({ beganAt }) => beganAt);
    expect([kept.length, kept.at(0), kept.at(-1)]).toEqual([20, 1_018, 320]);
  });

  test('keeps the last look at each family, without erased subjects, and prunes it', async () => {
    const { store, accept } = await openFixture(kind);
    await accept({ subject: 'charge:1', content: 'A', kind: 'charge.created' });
    await accept({ subject: 'charge:2', content: 'B', kind: 'charge.created' });
    const difference = { outcome: 'behind', fields: ['amount'], since: 5, quarantined: null };
    const look = (family: string, at: number, ...ids: readonly string[]): RecordedLook => ({
      ...{ source: 'default', family, at, wholeAt: 7, equal: 3, differing: { behind: ids.length } },
      differences: ids.map((id) => ({ id, ...difference })),
    });
    const record = (one: RecordedLook) => store.recordMonitoring({ record: 'look', ...one });
    await record(look('charge', 10, '9'));
    const known = [look('charge', 20, '1', '2', '7'), look('company', 30)];
    for (const one of known) await record(one);
    expect((await store.monitoring()).looks).toEqual(known);

    const [row] = await store.contents('event', { after: 0, limit: 1 });
    const body = { before: row!.body!, after: new TextEncoder().encode('{}') };
    await store.eraseContents([{ place: 'event', row: row!.row, body }]);
    const left = look('charge', 20, '2', '7').differences;
    expect((await store.monitoring()).looks[0]).toMatchObject({
      differing: { behind: 3 },
      differences: left,
    });
    await record(known[0]!);
    expect((await store.monitoring()).looks[0]?.differences).toEqual(left);

    const many = Array.from({ length: 150 }, (_, at) => `x${String(at)}`);
    await record(look('charge', 21, ...many));
    expect((await store.monitoring()).looks[0]?.differences).toHaveLength(100);
    await store.recordMonitoring({ record: 'looks-pruned', before: 30 });
    expect((await store.monitoring()).looks).toEqual([look('company', 30)]);
  });

  test('adds rejections up by source and hour, with the reason of the last, for nine days', async () => {
    const { store } = await openFixture(kind);
    const add = (hour: number, rejections: number, lastReason: string, clockSeconds: number | null = null) =>
      store.recordMonitoring({
        record: 'rejections',
        rejections: [{ source: 'default', hour, rejections, lastReason, clockSeconds }],
      });
    await add(1_000, 2, 'too-old', 4_000);
    await add(1_000, 3, 'mismatch');
    await add(1_001, 1, 'too-new', 301);
    expect((await store.monitoring()).rejections).toEqual([
      { source: 'default', hour: 1_000, rejections: 5, lastReason: 'mismatch', clockSeconds: null },
      { source: 'default', hour: 1_001, rejections: 1, lastReason: 'too-new', clockSeconds: 301 },
    ]);

    await add(1_001 + 9 * 24, 7, 'missing');

    expect((await store.monitoring()).rejections.map(({ hour }) => hour)).toEqual([1_001, 1_001 + 9 * 24]);
  });

  test('adds up what webhooks of observed sources pass, for nine days', async () => {
    const { store } = await openFixture(kind);
    const add = (hour: number, scheme: string, webhooks: number) =>
      store.recordMonitoring({ record: 'observed', observed: [{ source: 'shop', hour, scheme, webhooks }] });
    await add(1_000, 'none', 2);
    await add(1_000, 'none', 1);
    await add(1_001, 'stripe', 2);
    await add(1_002, 'stripe', 2);
    expect((await store.monitoring()).observed).toEqual([
      { source: 'shop', scheme: 'stripe', webhooks: 4 },
      { source: 'shop', scheme: 'none', webhooks: 3 },
    ]);

    await add(1_002 + 9 * 24, 'slack', 1);

    expect((await store.monitoring()).observed).toEqual([
      { source: 'shop', scheme: 'stripe', webhooks: 2 },
      { source: 'shop', scheme: 'slack', webhooks: 1 },
    ]);
  });

  test('problems and the alerts about them are one commit, and alerts are read in order', async () => {
    const { store } = await openFixture(kind);
    const problem = { key: 'dead-letters', beganAt: 5, report: '{}' };
    const none = { record: 'problems', begun: [], ended: [], alerts: [], now: 7 } as const;
    await store.recordMonitoring({ ...none, begun: [problem], alerts: ['one', 'two'] });
    expect(await store.monitoring()).toMatchObject({ problems: [problem], waitingAlerts: 2 });

    const first = await store.nextAlert();
    expect(first).toEqual({ id: 'a1', body: 'one', attempts: 0, dueAt: 7, lastError: null });
    await store.recordMonitoring({ record: 'alert-failed', id: 'a1', dueAt: 9, reason: 'down' });
    expect(await store.nextAlert()).toEqual({ ...first, attempts: 1, dueAt: 9, lastError: 'down' });
    await store.recordMonitoring({ record: 'alert-sent', id: 'a1' });
    expect(await store.recordMonitoring({ record: 'alert-sent', id: 'a1' })).toBe(false);
    expect(await store.nextAlert()).toMatchObject({ id: 'a2', body: 'two' });
    await store.recordMonitoring({ record: 'alert-sent', id: 'a2' });

    await store.recordMonitoring({ ...none, ended: ['dead-letters'], alerts: ['three'] });
    expect((await store.monitoring()).problems).toEqual([]);
    expect(await store.nextAlert()).toMatchObject({ id: 'a3', body: 'three' });
  });
}
