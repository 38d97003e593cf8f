import { expect, test } from 'vitest';
import type { EventFilter } from '../../../src/store/queries.ts';
import { DAY_MS } from '../../../src/kernel/time/durations.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import { bytes, route, sampleRejection } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';
import { eventNumber } from '../../../src/handle/fold/event-number.ts';
import type { SentEvents } from '../../../src/store/replays.ts';
import { createReplay } from '../../support/replay-job.ts';

/** Six events, a second apart, that differ in each member of a filter. */
async function filledDesk(kind: StoreKind): Promise<StoreFixture> {
  const fixture = await openFixture(kind);
  const sketches = [
    { subject: 'company:1', content: 'A', version: '2', kind: 'company.created' },
    { subject: 'company:1', content: 'B', version: '1', kind: 'company.sne.updated' },
    { subject: 'charge:1', content: 'A', kind: 'charge.created' },
    { subject: 'charge:1', content: 'B', kind: 'charge.updated', flags: ['check-digits'] },
    { subject: 'charge:1', content: 'A', kind: 'charge.created' },
    {
      subject: 'odd:-',
      source: 'branch',
      kind: 'odd[1]?.x',
      recognized: false,
      flags: ['unrecognized'],
    },
  ] as const;
  for (const sketch of sketches) {
    await fixture.accept(sketch);
    fixture.clock.advance(1_000);
  }
  return fixture;
}

const numbers = (ids: readonly string[]) => ids.map(eventNumber);

const nothingPruned = {
  events: 0,
  bytes: 0,
  quarantine: 0,
  deliveries: 0,
  discarded: 0,
  lastRunAt: null,
  nextRunAt: null,
};

/** Reads for operators. */
export function readRules(kind: StoreKind): void {
  test('tells the bytes of bodies, in the order of the ids', async () => {
    const { store, clock, stored } = await openFixture(kind);
    const short = await stored({ content: 'A', body: bytes('{}') }, []);
    clock.advance(DAY_MS);
    const long = await stored({ content: 'B', body: bytes(`["${'x'.repeat(5_000)}"]`) }, []);
    expect(await store.bodySizes([long, 'nonsense', short])).toEqual([5_004, 0, 2]);
    const before = clock.now();
    await store.pruneEvents({ events: [1], machines: [], bases: [], before, now: before });
    expect(await store.bodySizes([short, long])).toEqual([0, 5_004]);
    expect(await store.bodySizes([])).toEqual([]);
  });

  test('lists subjects by their latest events, and counts the deliveries of events', async () => {
    const { store } = await filledDesk(kind);
    const found = await store.subjects({}, { limit: 2 });
    expect(found).toMatchObject([
      { source: 'branch', subject: { family: 'odd' }, kind: 'odd[1]?.x', events: 1 },
      { subject: { family: 'charge', id: '1' }, kind: 'charge.created', events: 3 },
    ]);
    const after = found.at(-1)?.id ?? '';
    // The second event of the company is older than the first.
    expect(await store.subjects({}, { limit: 2, after })).toMatchObject([
      { subject: { family: 'company' }, kind: 'company.created', events: 2 },
    ]);
    expect(await store.subjects({}, { limit: 2, after: 'nonsense' })).toEqual([]);
    expect(await store.subjects({ subjects: [] }, { limit: 2 })).toEqual([]);
    const events = await store.events({}, { order: 'oldest', limit: 9 });
    expect(await store.deliveriesOf([...events.slice(0, 2).map(({ id }) => id), 'nonsense'])).toEqual(
      events.slice(0, 2).map(({ id }, at) => ({
        eventId: id,
        // The handler does not take stale events.
        status: at === 0 ? 'pending' : 'skipped',
        deliveries: 1,
      })),
    );
  });

  test('counts what a replay to a URL reports as sent, in any state, and names what failed', async () => {
    const fixture = await openFixture(kind);
    const { store } = fixture;
    const [first, second] = [await fixture.stored({}), await fixture.stored({ content: 'B' })];
    const now = fixture.clock.now();
    const { id } = await createReplay(store, { target: 'http://localhost' }, now);
    const report = (sent: SentEvents, cursor: string) => store.enqueueReplay(id, [], { cursor, now, sent });

    await report({ succeeded: 40, skipped: 0, failed: [first] }, first);
    await store.changeJob(id, { from: ['running'], to: 'cancelled', ending: null, now });
    await report({ succeeded: 1, skipped: 2, failed: [second, first] }, second);

    expect(await store.recordJobResults(id)).toMatchObject({
      job: { acted: 46, succeeded: 41, failed: 3, skipped: 2, cursor: String(eventNumber(second)) },
      open: 0,
    });
    expect(await store.jobItems(id, { outcome: 'failed', limit: 9 })).toEqual([first, second]);
  });

  test('searches no more than the newest events for a company, says so, and selects by what it found', async () => {
    const { store } = await filledDesk(kind);
    const company = { source: 'default', subject: { family: 'company', id: '1' } };
    expect(await store.companySubjects('1', 6)).toEqual({ subjects: [company], partial: false });
    expect(await store.companySubjects('1', 5)).toEqual({ subjects: [company], partial: true });
    expect(await store.companySubjects('2', 6)).toEqual({ subjects: [], partial: false });
    const filter = { company: '1', subjects: [company] };
    const page = { order: 'oldest', limit: 9 } as const;
    const own = (await store.deliveries({}, page)).filter(({ subject }) => subject.family === 'company');
    expect(await store.deliveries(filter, page)).toEqual(own);
    expect((await store.countDeliveries(filter)).handlers).toMatchObject([{ deliveries: own.length }]);
    expect(await store.events(filter, page)).toEqual(await store.events({ kinds: ['company.*'] }, page));
  });

  const start = Date.UTC(2026, 0, 1);
  test.each<readonly [EventFilter, readonly number[]]>([
    [{}, [1, 2, 3, 4, 5, 6]],
    [{ ids: ['2', '4', '77', 'nonsense'] }, [2, 4]],
    [{ ids: [] }, []],
    [{ kinds: ['charge.created'] }, [3, 5]],
    [{ kinds: ['company.*', 'charge.updated'] }, [1, 2, 4]],
    [{ kinds: ['company.*.updated'] }, [2]],
    [{ kinds: ['*'] }, [1, 2, 3, 4, 5, 6]],
    // `*` matches at least one character; no other character is special.
    [{ kinds: ['company.created*'] }, []],
    [{ kinds: ['odd[1]?.*'] }, [6]],
    [{ kinds: ['odd1?.*', 'odd[1]x.*', 'CHARGE.*'] }, []],
    [{ kinds: [] }, []],
    [{ subject: { family: 'charge', id: '1' } }, [3, 4, 5]],
    [{ subject: { family: 'charge', id: '2' } }, []],
    [{ source: 'branch' }, [6]],
    [{ verdict: 'stale' }, [2]],
    [{ verdict: 'ambiguous' }, [5]],
    [{ flag: 'check-digits' }, [4]],
    [{ flag: 'check' }, []],
    [{ since: start + 4_000 }, [5, 6]],
    [{ until: start + 1_000 }, [1]],
    [{ since: start + 1_000, until: start + 3_000, verdict: 'new' }, [3]],
    [{ upTo: '4', kinds: ['charge.*'] }, [3, 4]],
    [{ upTo: '77' }, [1, 2, 3, 4, 5, 6]],
    [{ upTo: 'another-4' }, []],
    [{ status: 'skipped' }, [2]],
    [{ status: 'pending' }, [1, 3, 4, 5, 6]],
    [{ status: 'succeeded' }, []],
    [{ status: 'dead' }, []],
    [{ status: 'running' }, []],
  ])('events where %j', async (filter, expected) => {
    const fixture = await filledDesk(kind);

    const events = await fixture.store.events(filter, { order: 'oldest', limit: 50 });

    expect(numbers(events.map(({ id }) => id))).toEqual(expected);
  });

  test('pages events in either order', async () => {
    const fixture = await filledDesk(kind);
    const page = async (order: 'oldest' | 'newest', after?: string) => {
      const events = await fixture.store.events(
        { status: 'pending' },
        { order, limit: 2, ...(after && { after }) },
      );
      return numbers(events.map(({ id }) => id));
    };

    expect(await page('oldest')).toEqual([1, 3]);
    expect(await page('oldest', `${fixture.store.storeId}-3`)).toEqual([4, 5]);
    expect(await page('newest')).toEqual([6, 5]);
    expect(await page('newest', '5')).toEqual([4, 3]);
    expect(await page('newest', 'another-5')).toEqual([]);
  });

  test('reads an event by its id or number, with its original bytes and headers', async () => {
    const fixture = await openFixture(kind);
    const body = bytes('\uFEFF{ "type" : "x.y",\n "data" : [1, null, "\\ud800"] }');
    const id = await fixture.stored({ kind: 'x.y', body, headers: { 'webhook-id': 'm' }, messageId: 'm' });

    const event = await fixture.store.event(id);

    expect(event).toMatchObject({ id, kind: 'x.y', messageId: 'm', headers: { 'webhook-id': 'm' } });
    expect(event?.messageIdTrusted).toBe(true);
    expect(event?.body).toEqual(body);
    expect(await fixture.store.event('1')).toEqual(event);
    expect(await fixture.store.event('2')).toBeNull();
    expect(await fixture.store.event('zzzzzz-1')).toBeNull();
    expect(await fixture.store.event('')).toBeNull();
    expect((await fixture.claimOne()).event.data).toEqual([1, null, '\ud800']);
  });

  test('keeps payload keys such as `__proto__`', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ body: bytes('{"type":"a.b","data":{"__proto__":{"x":1},"constructor":null}}') });

    const { data } = (await fixture.claimOne()).event;

    expect(JSON.stringify(data)).toBe('{"__proto__":{"x":1},"constructor":null}');
  });

  test('lists deliveries by filter, in pages', async () => {
    const fixture = await openFixture(kind);
    const both = [route('one'), route('two')];
    const first = await fixture.stored({ subject: 'company:1' }, both);
    await fixture.stored({ subject: 'company:2', source: 'branch' }, both);
    const [running] = await fixture.claim({ handlers: ['two'], limit: 1 });
    const { id } = await createReplay(fixture.store, {}, 0);
    await fixture.store.enqueueReplay(id, [{ route: route('one'), events: [eventNumber(first)] }], {
      cursor: first,
      now: fixture.clock.now(),
    });
    const list = async (filter: Parameters<typeof fixture.store.deliveries>[0], after?: string) => {
      const page = { order: 'newest', limit: 3, ...(after && { after }) } as const;
      return (await fixture.store.deliveries(filter, page)).map((delivery) => delivery.id);
    };

    expect(running?.id).toBe('d2');
    expect(await list({})).toEqual(['d5', 'd4', 'd3']);
    expect(await list({}, 'd3')).toEqual(['d2', 'd1']);
    expect(await list({ eventId: first })).toEqual(['d5', 'd2', 'd1']);
    expect(await list({ eventId: '1', handler: 'one' })).toEqual(['d5', 'd1']);
    expect(await list({ status: 'running' })).toEqual(['d2']);
    expect(await list({ status: 'pending', source: 'branch' })).toEqual(['d4', 'd3']);
    expect(await list({ status: 'dead' })).toEqual([]);
    expect(await list({ subject: { family: 'company', id: '2' } })).toEqual(['d4', 'd3']);
    expect(await list({ replay: id })).toEqual(['d5']);
    expect(await list({ ids: ['d1', 'nonsense'] })).toEqual(['d1']);
    expect(await list({ eventId: 'nonsense' })).toEqual([]);
  });

  test("reads a subject's events in version order, up to one of them", async () => {
    const fixture = await openFixture(kind);
    const subject = { family: 'company', id: '1' };
    const first = await fixture.stored({ content: 'A', version: '2' });
    await fixture.stored({ subject: 'company:2' });
    const second = await fixture.stored({ content: 'B', version: '1' });
    const third = await fixture.stored({ content: 'C' });

    const idsOf = (events: Float64Array): readonly string[] =>
      Array.from(events, (number) => `${fixture.store.storeId}-${String(number)}`);

    const all = await fixture.store.versionOrder({ source: 'default', subject });
    expect([idsOf(all.events), all.version]).toEqual([[second, first, third], '2']);
    const some = await fixture.store.versionOrder({ source: 'default', subject, through: second });
    expect(idsOf(some.events)).toEqual([second, first]);
    const none = { events: new Float64Array(), version: null, erased: 0, prunedThrough: 0 };
    expect(await fixture.store.versionOrder({ source: 'branch', subject })).toEqual(none);
    const kinds = ['company.created'];
    expect(await fixture.store.versionOrder({ source: 'default', subject, kinds })).toEqual(none);
    const event = { id: third, version: '3' };
    expect(
      idsOf((await fixture.store.versionOrder({ source: 'default', subject, kinds, event })).events),
    ).toEqual([third]);

    expect(await fixture.store.eventBefore('default', subject, third)).toBe(second);
    expect(await fixture.store.eventBefore('default', subject, first)).toBeNull();
    expect(await fixture.store.sourcesOf(subject)).toEqual(['default']);
  });

  test('reads events with payloads in the requested order, without unknown ones', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A' });
    const second = await fixture.stored({ content: 'B', subject: 'company:2' });

    const events = await fixture.store.storedEvents([
      second,
      'zzzzzz-1',
      first,
      second.replace(/\d+$/, '99'),
    ]);
    expect(events.map(({ id }) => id)).toEqual([second, first]);
    expect(events.map(({ data }) => (data as { content: string }).content)).toEqual(['B', 'A']);
    expect(await fixture.store.storedEvents([])).toEqual([]);
  });

  test('lists subjects by the kinds of their events, in the order first seen, in pages', async () => {
    const fixture = await filledDesk(kind);
    const subject = (family: string, id: string, source = 'default') => ({
      source,
      subject: { family, id },
    });

    const one = await fixture.store.subjectsWithKinds(['*.*'], { limit: 2 });
    expect(one.subjects).toEqual([subject('company', '1'), subject('charge', '1')]);
    const two = await fixture.store.subjectsWithKinds(['*.*'], { limit: 2, cursor: one.cursor ?? '' });
    expect(two).toEqual({ subjects: [subject('odd', '-', 'branch')], cursor: null });
    expect((await fixture.store.subjectsWithKinds(['charge.updated'], { limit: 5 })).subjects).toEqual([
      subject('charge', '1'),
    ]);
  });

  test('statistics of an empty store are zero', async () => {
    const fixture = await openFixture(kind);
    const none = { pending: 0, running: 0, succeeded: 0, dead: 0, skipped: 0 };

    expect(await fixture.store.statistics()).toEqual({
      storeId: fixture.store.storeId,
      events: 0,
      repeats: 0,
      byVerdict: { new: 0, stale: 0, ambiguous: 0 },
      unrecognized: 0,
      subjects: 0,
      quarantined: 0,
      quarantineByReason: [],
      quarantineBytes: 0,
      quarantineMaxBytes: 1_073_741_824,
      quarantineDropped: { verified: 0, unverified: 0 },
      deliveries: none,
      byKind: [],
      otherKinds: null,
      byHandler: [],
      anomalies: 0,
      oldestPendingAt: null,
      bytes: expect.any(Number) as number,
      freeBytes: 0,
      givesBackSpace: true,
      retention: { ...nothingPruned, oldestBodyAt: null },
      pauses: [],
    });
  });

  test('unknown kinds of more than 256 characters are counted together', async () => {
    const { store, stored } = await openFixture(kind);
    const unknown = (name: string, content: string) => stored({ kind: name, recognized: false, content });
    await unknown('k'.repeat(256), 'A');
    await unknown('k'.repeat(257), 'B');
    await unknown('o'.repeat(3_000), 'C');

    const { byKind, otherKinds, unrecognized } = await store.statistics();
    expect(byKind).toMatchObject([{ kind: 'k'.repeat(256), events: 1 }]);
    expect(otherKinds?.events).toBe(2);
    expect(unrecognized).toBe(3);
  });

  test('statistics count events, repeats, deliveries and entries', async () => {
    const fixture = await filledDesk(kind);
    await fixture.accept({ subject: 'charge:1', content: 'A', kind: 'charge.created' });
    await fixture.store.quarantine(sampleRejection());
    const [first, second] = await fixture.claim({ limit: 3 });
    if (first === undefined || second === undefined) throw new Error('too few');
    const now = fixture.clock.now();
    await fixture.store.complete(first, { status: 'succeeded' }, { now, next: false });
    await fixture.store.complete(second, { status: 'dead', reason: 'x' }, { now, next: false });

    const deliveries = { pending: 2, running: 1, succeeded: 1, dead: 1, skipped: 1 };
    expect(await fixture.store.statistics()).toMatchObject({
      events: 6,
      repeats: 1,
      byVerdict: { new: 4, stale: 1, ambiguous: 1 },
      unrecognized: 1,
      subjects: 3,
      quarantined: 1,
      deliveries,
      byKind: [
        { kind: 'charge.created', events: 2, lastReceivedAt: start + 4_000 },
        { kind: 'charge.updated', events: 1, lastReceivedAt: start + 3_000 },
        { kind: 'company.created', events: 1, lastReceivedAt: start },
        { kind: 'company.sne.updated', events: 1, lastReceivedAt: start + 1_000 },
        { kind: 'odd[1]?.x', events: 1, lastReceivedAt: start + 5_000 },
      ],
      byHandler: [{ handler: 'anyone', ...deliveries }],
      oldestPendingAt: start + 3_000,
    });
    expect(await fixture.store.totals()).toEqual({
      quarantined: 1,
      quarantineByReason: [{ reason: 'invalid', held: 1 }],
      quarantineBytes: expect.any(Number) as number,
      quarantineMaxBytes: expect.any(Number) as number,
      quarantineDropped: { verified: 0, unverified: 0 },
      byHandler: [{ handler: 'anyone', ...deliveries }],
      oldestPendingAt: start + 3_000,
      bytes: expect.any(Number) as number,
      freeBytes: 0,
      givesBackSpace: true,
      retention: { ...nothingPruned, oldestBodyAt: expect.any(Number) as number },
      pauses: [],
    });
  });

  test('a sound store passes its checks', async () => {
    const fixture = await openFixture(kind);

    const checks = await fixture.store.checks();

    expect(checks.length).toBeGreaterThan(3);
    const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
    expect(failed).toEqual(kind.failingChecks ?? []);
    expect(fixture.store.healthy()).toBe(true);
  });

  test('a closed store rejects writes', async () => {
    const fixture = await openFixture(kind);
    await fixture.store.close();

    await expect(fixture.accept({})).rejects.toMatchObject({ code: 'stopping' });
    await expect(fixture.store.close()).resolves.toBeUndefined();
  });
}
