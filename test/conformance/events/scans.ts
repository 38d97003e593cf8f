import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConditions } from '../../../src/event/content/content-query.ts';
import type { EventFilter, ScannedEvents } from '../../../src/store/queries.ts';
import type { Store } from '../../../src/store/store.ts';
import { fingerprintOf } from '../../../src/kernel/text/error-kind.ts';
import { bytes, route } from '../sample-event.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const EVENTS = 40;

/** Events of a few subjects and kinds, with an amount each. Every seventh is pruned of nothing, and dead. */
async function filled(kind: StoreKind): Promise<StoreFixture> {
  const fixture = await openFixture(kind);
  for (let at = 0; at < EVENTS; at += 1) {
    const type = at % 3 === 0 ? 'charge.created' : 'company.updated';
    await fixture.stored({
      kind: type,
      subject: `${at % 3 === 0 ? 'charge' : 'company'}:${String(at % 4)}`,
      content: String(at),
      source: at % 5 === 0 ? 'branch' : 'default',
      body: bytes(`{"type":"${type}","data":{"amount":${String(at)}.50,"name":"Serra ${String(at % 2)}"}}`),
    });
    fixture.clock.advance(1_000);
  }
  const claimed = await fixture.claim();
  for (const delivery of claimed.slice(0, 3))
    await fixture.store.complete(
      delivery,
      { status: 'dead', reason: 'no' },
      { now: fixture.clock.now(), next: false },
    );
  return fixture;
}

/** All pages of a scan, and its steps. */
async function scanned(
  store: Store,
  filter: EventFilter,
  { limit, where }: { readonly limit: number; readonly where: string | null },
): Promise<{ readonly ids: readonly string[]; readonly steps: readonly ScannedEvents[] }> {
  const query = where === null ? null : { where: parseConditions(where), contains: [] };
  const content = query && { query, shown: null, dataPaths: {} };
  const steps: ScannedEvents[] = [];
  for (let after: string | null = null; ;) {
    const step: ScannedEvents = await store.scanEvents({
      ...{ filter, content, limit, maxMs: 1_000 },
      ...(after !== null && { after }),
    });
    steps.push(step);
    if (step.isEnd) break;
    after = step.through;
  }
  return { ids: steps.flatMap(({ found }) => found.map(({ id }) => id)), steps };
}

const filter: fc.Arbitrary<EventFilter> = fc.record(
  {
    kinds: fc.constantFrom(['charge.*'], ['company.updated'], ['none.at.all']),
    subject: fc.constantFrom({ family: 'charge', id: '0' }, { family: 'company', id: '1' }),
    source: fc.constantFrom('branch', 'default', 'none'),
    verdict: fc.constantFrom('new' as const, 'stale' as const),
    status: fc.constantFrom('pending' as const, 'dead' as const, 'running' as const, 'succeeded' as const),
    handlers: fc.constantFrom(['anyone'], ['none'], ['none', 'anyone']),
    error: fc.constantFrom(fingerprintOf('no'), fingerprintOf('never')),
    since: fc.nat(EVENTS).map((seconds) => Date.UTC(2026, 0, 1) + seconds * 1_000),
    until: fc.nat(EVENTS).map((seconds) => Date.UTC(2026, 0, 1) + seconds * 1_000),
  },
  { requiredKeys: [] },
);

/** Searches in bounded steps. */
export function scanRules(kind: StoreKind): void {
  test('the pages of a search neither skip nor repeat an event, whatever filter and size', async () => {
    const { store } = await filled(kind);
    await fc.assert(
      fc.asyncProperty(filter, fc.integer({ min: 1, max: 9 }), async (each, limit) => {
        const all = await store.events(each, { order: 'newest', limit: EVENTS });
        const { ids, steps } = await scanned(store, each, { limit, where: null });
        expect(ids).toEqual(all.map(({ id }) => id));
        for (const { found } of steps) expect(found.length).toBeLessThanOrEqual(limit);
        const { count, isWhole } = await store.countEvents(each, { max: 10, maxMs: 1_000 });
        expect([count, isWhole]).toEqual([Math.min(all.length, 10), all.length <= 10]);
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  test('one delivery meets all that a filter says of handler, status and error', async () => {
    const { store, clock, stored, claim } = await openFixture(kind);
    const handlers = ['billing', 'mail'];
    const ids = [];
    for (const at of [1, 2])
      ids.push(
        await stored(
          { subject: `charge:${String(at)}` },
          handlers.map((name) => route(name)),
        ),
      );
    for (const delivery of await claim({ handlers })) {
      const isDone = (delivery.handler === 'mail') === (delivery.event.id === ids[1]);
      const end = isDone ? ({ status: 'succeeded' } as const) : ({ status: 'dead', reason: 'no' } as const);
      await store.complete(delivery, end, { now: clock.now(), next: false });
    }
    const error = fingerprintOf('no');
    const all = [ids[1], ids[0]];
    for (const [of, found] of [
      [{ handlers: ['mail'], status: 'succeeded' }, [ids[1]]],
      [{ handlers: ['mail'], status: 'dead' }, [ids[0]]],
      [{ handlers: ['mail'], error }, [ids[0]]],
      [{ handlers: ['billing'], error, status: 'dead' }, [ids[1]]],
      [{ handlers, status: 'succeeded' }, all],
      [{ error }, all],
      [{ handlers: ['mail'], error: fingerprintOf('other') }, []],
    ] as const) {
      expect(await scanned(store, of, { limit: 9, where: null }), JSON.stringify(of)).toMatchObject({
        ids: found,
      });
      expect((await store.events(of, { order: 'newest', limit: 9 })).map(({ id }) => id)).toEqual(found);
    }
  });

  test('searches payloads for conditions, within the events of a filter', async () => {
    const { store } = await filled(kind);
    for (const [where, within, expected] of [
      ['data.amount >= 37.5', {}, [40, 39, 38]],
      ['data.amount = 12.50', {}, [13]],
      ['data.name contains "serra 1" and data.amount < 6', {}, [6, 4, 2]],
      ['data.amount < 7', { kinds: ['charge.*'] }, [7, 4, 1]],
      ['data.amount < 9', { subject: { family: 'charge', id: '0' } }, [1]],
      ['data.amount > 0', { status: 'dead' }, [3, 2, 1]],
      ['data.amount = none', {}, []],
    ] as const)
      for (const limit of [1, 2, 50]) {
        const { ids } = await scanned(store, within, { limit, where });
        expect(
          ids.map((id) => Number(id.split('-')[1])),
          `${where} by ${String(limit)}`,
        ).toEqual(expected);
      }
  });

  test('says how far a search came, and finds nothing below an event of another store', async () => {
    const { store, clock } = await filled(kind);
    const first = await store.scanEvents({ filter: {}, content: null, limit: 4, maxMs: 1_000 });
    expect(first).toMatchObject({ looked: 4, isEnd: false, through: `${store.storeId}-37` });
    expect(first.throughAt).toBe(clock.now() - 4_000);
    const none = { found: [], through: null, throughAt: null, looked: 0, isEnd: true };
    const after = 'zzzzzz-12';
    expect(await store.scanEvents({ filter: {}, content: null, limit: 4, maxMs: 9, after })).toEqual(none);
    const empty = await openFixture(kind);
    expect(await empty.store.scanEvents({ filter: {}, content: null, limit: 4, maxMs: 9 })).toEqual(none);
    expect(await empty.store.countEvents({}, { max: 9, maxMs: 9 })).toEqual({ count: 0, isWhole: true });
  });
}
