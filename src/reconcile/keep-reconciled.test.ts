import { setImmediate as nextTask } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ClientError } from '../client/client-error.ts';
import { createClient } from '../client/create-client.ts';
import { createCooldown, noteResponse } from '../confirm/cooldown.ts';
import { specification } from '../contract/specification.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kernel/time/durations.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { sampleEvent } from '../../test/conformance/sample-event.ts';
import { keepReconciled } from './keep-reconciled.ts';
import { comparedFamilies } from './record-lists.ts';
import type { RepairSubject } from './repair-subject.ts';

type Fields = Readonly<Record<string, unknown>>;

const start = Date.parse('2026-11-20T12:00:00Z');
const user = (id: string, updatedAt: string, name = 'Ana'): Fields => ({ id, name, updated_at: updatedAt });
const charge = (id: number, status: string): Fields => ({ id, status });

/** A provider with these records by path, and the loop beside a store. */
async function setUp() {
  const clock = manualClock(start);
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock });
  onTestFinished(() => store.close());
  const records: Record<string, Fields[]> = {};
  const provider = { status: 200, retryAfter: '0', withheld: '', requests: [] as string[], leads: true };
  const cooldown = createCooldown(clock);
  const emitted: [string, object][] = [];
  const client = createClient({
    url: 'http://provider.example',
    apiKey: 'key',
    clock,
    retry: { attempts: 1 },
    fetch(address) {
      const { pathname } = new URL(address);
      const path = pathname.replace(/^\/v1/u, '').replace(/\/$/u, '');
      provider.requests.push(path);
      const response = respond(path);
      noteResponse(cooldown, response, clock.now());
      return response;
    },
  });
  function respond(path: string): Response {
    if (provider.status !== 200)
      return Response.json({}, { status: provider.status, headers: { 'retry-after': provider.retryAfter } });
    if (path === provider.withheld) return Response.json({}, { status: 403 });
    const [, parent = '', id = ''] = /^(.*)\/([^/]+)$/u.exec(path) ?? [];
    const all = records[path];
    const one = records[parent]?.find((record) => String(record['id']) === id);
    if (one !== undefined) return Response.json(parent === '/console/users' ? one : { data: one });
    if (parent in records && all === undefined && !path.endsWith('-slips'))
      return Response.json({}, { status: 404 });
    return Response.json({ data: all ?? [], pagination: {}, total: all?.length ?? 0 });
  }
  const begin = (repair: RepairSubject | null = null) =>
    keepReconciled({
      ...{ clock, store, contract: specification, everyMs: HOUR_MS, leads: () => provider.leads },
      ...{ repair, wake: () => void emitted.push(['wake', {}]) },
      telemetry: { emit: (name, fields) => void emitted.push([name, fields]) },
      readers: new Map([['default', { client: () => client, cooldown }]]),
    });
  return {
    ...{ clock, store, records, provider, cooldown, emitted, begin },
    async known(kind: string, data: Fields) {
      const family = kind.split('.')[0] ?? '';
      const body = new TextEncoder().encode(JSON.stringify({ type: kind, data }));
      const content = JSON.stringify(data);
      const subject = `${family}:${String(data['id'])}`;
      const version = typeof data['updated_at'] === 'string' ? data['updated_at'] : null;
      await store.accept(sampleEvent({ kind, subject, content, body, version, receivedAt: clock.now() }), []);
    },
    /** Lets time pass until so many families were looked at or failed. */
    async after(ms: number, families = comparedFamilies.length) {
      const before = emitted.length;
      clock.advance(ms);
      await vi.waitFor(() => {
        expect(emitted.length - before).toBe(families);
      });
    },
    look: async (family: string) => (await store.monitoring()).looks.find((look) => look.family === family),
  };
}

test('a minute after the start every family is looked at, and what differs is kept without its values', async () => {
  const { begin, after, records, known, look, provider } = await setUp();
  records['/charges'] = [charge(1, 'paid'), charge(2, 'paid')];
  await known('charge.updated', charge(1, 'pending'));
  const stop = begin();
  await after(MINUTE_MS);
  const at = start + MINUTE_MS;
  expect(await look('charge')).toEqual({
    ...{ source: 'default', family: 'charge', at, wholeAt: at, equal: 0 },
    differing: { behind: 1, missed: 1 },
    differences: [
      { id: '1', outcome: 'behind', fields: ['status'], since: at, quarantined: null },
      { id: '2', outcome: 'missed', fields: [], since: at, quarantined: null },
    ],
  });
  await stop();
  const asked = provider.requests.length;
  begin();
  await after(5 * MINUTE_MS, 1);
  expect((await look('charge'))?.differences[0]?.since, 'known since the first look').toBe(at);
  expect(provider.requests.slice(asked), 'a restart looks at what is new alone').toEqual([
    '/charges',
    '/charges/1',
    '/charges/2',
  ]);
});

test('compares what has changed since the last look, and everything once a day', async () => {
  const { begin, after, records, known, look, store } = await setUp();
  const old = user('u1', '2026-11-19T10:00:00.000Z');
  records['/console/users'] = [old];
  await known('console-user.updated', old);
  begin();
  await after(MINUTE_MS);
  const [{ id } = { id: '' }] = await store.events({}, { order: 'newest', limit: 1 });
  const compared = vi.spyOn(store, 'event');
  await after(HOUR_MS);
  expect(compared, 'the record did not change').not.toHaveBeenCalled();
  records['/console/users'] = [user('u1', '2026-11-20T13:30:00.000Z', 'Bia')];
  await after(HOUR_MS);
  expect(compared).toHaveBeenCalledWith(id);
  expect((await look('console-user'))?.differences).toMatchObject([
    { id: 'u1', outcome: 'behind', since: Date.parse('2026-11-20T13:30:00Z') },
  ]);
  records['/console/users'] = [old];
  await after(HOUR_MS);
  expect(await look('console-user'), 'what differed is compared again').toMatchObject({
    equal: 1,
    differing: {},
  });
  compared.mockClear();
  for (let hour = 0; hour < 20; hour += 1) await after(HOUR_MS);
  expect(compared).not.toHaveBeenCalled();
  await after(HOUR_MS);
  expect(compared).toHaveBeenCalledWith(id);
  expect((await look('console-user'))?.wholeAt).toBe(start + MINUTE_MS + DAY_MS);
});

test('a pruned event without a version costs no request, and what a repair can bring is kept first', async () => {
  const { begin, after, records, known, provider, store, clock } = await setUp();
  records['/charges'] = [charge(1, 'paid'), charge(2, 'paid')];
  const recorded = vi.spyOn(store, 'recordMonitoring');
  await known('charge.updated', charge(1, 'pending'));
  const before = clock.now() + 1;
  await store.pruneEvents({ events: [1], machines: [], bases: [], before, now: before });
  begin();
  await after(MINUTE_MS);
  expect(recorded).toHaveBeenCalledWith(
    expect.objectContaining({
      family: 'charge',
      differences: [
        expect.objectContaining({ id: '2', outcome: 'missed' }),
        expect.objectContaining({ id: '1', outcome: 'unknown' }),
      ],
    }),
  );
  expect(provider.requests).not.toContain('/charges/1');
});

test('the time of a difference begins anew with another outcome', async () => {
  const { begin, after, records, known, look, provider } = await setUp();
  records['/charges'] = [charge(2, 'paid')];
  await known('charge.updated', charge(1, 'pending'));
  await known('charge.updated', charge(2, 'paid'));
  provider.withheld = '/charges/1';
  begin();
  await after(MINUTE_MS);
  expect((await look('charge'))?.differences).toMatchObject([{ id: '1', outcome: 'withheld' }]);
  records['/charges'].push(charge(1, 'paid'));
  provider.withheld = '';
  await after(5 * MINUTE_MS, 1);
  const found = await look('charge');
  expect(found?.differences).toMatchObject([{ id: '1', outcome: 'behind', since: found?.at }]);
});

test('asks nothing while the provider answers 429 or 5xx, for as long as it says, and tries again', async () => {
  const { clock, begin, records, known, provider, emitted, look } = await setUp();
  records['/charges'] = [charge(1, 'pending')];
  await known('charge.updated', charge(1, 'pending'));
  Object.assign(provider, { status: 429, retryAfter: '600' });
  begin();
  clock.advance(MINUTE_MS);
  await vi.waitFor(() => {
    expect(emitted).toHaveLength(1);
  });
  expect(emitted[0]).toMatchObject(['reconcile.failed', { family: comparedFamilies[0] }]);
  provider.status = 200;
  await vi.waitFor(() => {
    expect(clock.untilNext, 'the second family waits').toBe(10 * MINUTE_MS);
  });
  clock.advance(10 * MINUTE_MS - 1);
  // What the time that passed has set off runs to its end.
  for (let tasks = 0; tasks < 100; tasks += 1) await nextTask();
  expect(provider.requests).toHaveLength(1);
  clock.advance(1);
  await vi.waitFor(() => {
    expect(emitted).toHaveLength(comparedFamilies.length);
  });
  expect(await look('charge')).toMatchObject({ equal: 1 });
  expect(await look(comparedFamilies[0]!)).toBeUndefined();
  clock.advance(MINUTE_MS);
  await vi.waitFor(async () => {
    expect(await look(comparedFamilies[0]!)).toBeDefined();
  });
});

describe('repairs of its own', () => {
  test('fill an empty store: every family is told to machines only', async () => {
    const { begin, after, records, store, emitted } = await setUp();
    records['/charges'] = [charge(1, 'paid')];
    records['/console/users'] = [user('u1', '2026-11-20T12:00:00.000Z')];
    const told: unknown[] = [];
    begin(async (subject, { handlers }) => {
      told.push([subject, handlers]);
      await store.accept(sampleEvent({ subject, flags: ['reconciled'] }), []);
      return subject;
    });
    await after(MINUTE_MS);
    await after(5 * MINUTE_MS, 8);
    expect(emitted.filter(([name]) => name === 'reconcile.repaired')).toHaveLength(2);
    expect(told).toEqual([
      ['console-user:u1', 'machines'],
      ['charge:1', 'machines'],
    ]);
  });

  test('wait while the provider answers 429', async () => {
    const { clock, begin, after, records, cooldown } = await setUp();
    records['/charges'] = [charge(1, 'paid'), charge(2, 'paid')];
    const asked: string[] = [];
    begin((subject) => {
      asked.push(subject);
      noteResponse(
        cooldown,
        new Response(null, { status: 429, headers: { 'retry-after': '60' } }),
        clock.now(),
      );
      return Promise.resolve(null);
    });
    await after(MINUTE_MS);
    await after(5 * MINUTE_MS, 1);
    await vi.waitFor(() => {
      expect(clock.untilNext).toBe(MINUTE_MS);
    });
    expect(asked).toEqual(['charge:1']);
    clock.advance(MINUTE_MS);
    await vi.waitFor(() => {
      expect(asked).toEqual(['charge:1', 'charge:2']);
    });
  });

  test('are told when a later one fails', async () => {
    const { begin, after, records, emitted } = await setUp();
    records['/charges'] = [charge(1, 'paid'), charge(2, 'paid')];
    begin((subject) =>
      subject === 'charge:2'
        ? Promise.reject(new ClientError('unreachable', 'failed', { operation: 'readCharge' }))
        : Promise.resolve('e1'),
    );
    await after(MINUTE_MS);
    await after(5 * MINUTE_MS, 4);
    expect(emitted.slice(-3)).toMatchObject([
      ['wake', {}],
      ['reconcile.repaired', { family: 'charge', subjects: 1 }],
      ['reconcile.failed', { family: 'charge' }],
    ]);
  });
});

test('a process that does not lead asks nothing', async () => {
  const { clock, begin, provider } = await setUp();
  provider.leads = false;
  const stop = begin();
  clock.advance(HOUR_MS);
  await stop();
  expect(provider.requests).toEqual([]);
});
