import { expect, test } from 'vitest';
import type { DeliveryFilter } from '../../../src/store/queries.ts';
import type { Store } from '../../../src/store/store.ts';
import { route, sampleEvent, type EventSketch } from '../sample-event.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

/** Stores an event and ends its delivery. Returns the event's id. */
async function ended(
  fixture: StoreFixture,
  status: 'succeeded' | 'dead',
  sketch: EventSketch,
): Promise<string> {
  const id = await fixture.stored(sketch);
  const end = status === 'succeeded' ? { status } : { status, reason: 'closed' };
  await fixture.store.complete(await fixture.claimOne(), end, { now: fixture.clock.now(), next: false });
  return id;
}

/** What is overtaken of the dead deliveries of a handler: the delivery, and the later event. */
async function overtakenOf(store: Store, filter: DeliveryFilter = { status: 'dead' }) {
  const found = await store.overtaken(filter, { handlers: ['anyone'], limit: 9 });
  return found.map(({ id, by }) => [id, by]);
}

/** Deliveries whose handler has handled or runs a later event of the subject. */
export function overtakenRules(kind: StoreKind): void {
  test('without versions, the event that arrived later overtakes, of the same subject and handler', async () => {
    const fixture = await openFixture(kind);
    const { store } = fixture;
    await ended(fixture, 'succeeded', { content: 'before' });
    await ended(fixture, 'dead', { content: 'failed' });
    await ended(fixture, 'succeeded', { subject: 'company:2', content: 'of another' });
    await fixture.stored({ content: 'for another' }, [route('other')]);
    const [other] = await fixture.claim({ handlers: ['other'] });
    if (other !== undefined) await fixture.succeed(other);
    expect(await overtakenOf(store)).toEqual([]);

    await ended(fixture, 'dead', { content: 'failed, too' });
    expect(await overtakenOf(store)).toEqual([]);

    const later = await ended(fixture, 'succeeded', { content: 'later' });
    expect(await overtakenOf(store)).toEqual([
      ['d2', later],
      ['d5', later],
    ]);
    expect(await overtakenOf(store, { ids: ['d1', 'd2'] })).toEqual([
      ['d1', later],
      ['d2', later],
    ]);
    expect(await store.overtaken({ status: 'dead' }, { handlers: ['other'], limit: 9 })).toEqual([]);
    expect(await overtakenOf(store, { status: 'dead', exceptIds: ['d2'] })).toEqual([['d5', later]]);
    expect(await store.overtaken({ status: 'dead' }, { handlers: ['anyone'], limit: 1 })).toMatchObject([
      { id: 'd2', handler: 'anyone', ofHandler: 2 },
    ]);
  });

  test('with versions, the higher one overtakes, whichever arrived later', async () => {
    const fixture = await openFixture(kind);
    await ended(fixture, 'dead', { content: '2', version: '2' });
    const higher = await ended(fixture, 'succeeded', { content: '3', version: '3' });
    await ended(fixture, 'dead', { content: '4', version: '4' });
    await fixture.stored({ content: '1', version: '1' }, [route('anyone', { stale: true })]);
    await fixture.succeed(await fixture.claimOne());
    expect(await overtakenOf(fixture.store)).toEqual([['d1', higher]]);
  });

  test('a stored event arrived when it was received, also one that was released later', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    await ended(fixture, 'dead', { content: 'failed', receivedAt: clock.now() });
    await ended(fixture, 'succeeded', { content: 'released', receivedAt: clock.now() - 1 });
    expect(await overtakenOf(store)).toEqual([]);
  });

  test('of handlers that would get an event now, it names those that a later one has overtaken', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    const receivedAt = clock.now();
    const by = await ended(fixture, 'succeeded', { content: 'later', receivedAt });
    const arrival = { source: 'default', subject: { family: 'company', id: '1' }, version: null };
    const asked = (at: number) => store.overtakenArrival({ ...arrival, receivedAt: at }, ['anyone', 'other']);
    expect(await asked(receivedAt - 1)).toEqual([{ handler: 'anyone', by }]);
    expect(await asked(receivedAt)).toEqual([]);

    const options = { overtaken: [{ handler: 'anyone', by }] };
    const routes = [route('anyone'), route('other')];
    expect(await store.accept(sampleEvent({ content: 'old' }), routes, options)).toMatchObject({
      status: 'stored',
      pending: 1,
    });
    expect(await store.deliveries({ status: 'skipped' }, { order: 'oldest', limit: 9 })).toMatchObject([
      { handler: 'anyone', lastError: `overtaken by event ${by}` },
    ]);
  });

  test('what is stored now runs after those that wait in its lane, a retry before them, and both after one that runs', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    await ended(fixture, 'dead', { content: 'failed', receivedAt: clock.now() - 1 });
    const by = await fixture.stored({ content: 'later, waits', receivedAt: clock.now() });
    const arrival = {
      ...{ source: 'default', subject: { family: 'company', id: '1' }, version: null },
      receivedAt: clock.now() - 1,
    };
    const replayed = async () => {
      const selection = { filter: {}, succeeded: [], inStatus: [], overtaken: ['anyone'] };
      const groups = await store.replayEvents(selection, { after: null, limit: 9 });
      return groups.filter(({ traits }) => traits.overtaken.includes('anyone')).map(({ events }) => events);
    };
    for (const isRunning of [false, true]) {
      if (isRunning) await fixture.claimOne();
      expect(await store.overtakenArrival(arrival, ['anyone'])).toEqual([{ handler: 'anyone', by }]);
      expect(await replayed()).toEqual([[1]]);
      expect(await overtakenOf(store)).toEqual(isRunning ? [['d1', by]] : []);
    }
  });

  test('an event that was released after a later one runs after it in a replay, too, and is overtaken there', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    const at = (ago: number) => ({ receivedAt: clock.now() - ago });
    await ended(fixture, 'succeeded', { content: 'opened', ...at(3) });
    await ended(fixture, 'succeeded', { content: 'paid', ...at(1) });
    await ended(fixture, 'dead', { content: 'disputed, released late', ...at(2) });
    const overtakenIn = async (runsSucceeded: boolean) => {
      const selection = { filter: {}, succeeded: [], inStatus: [], overtaken: ['anyone'], runsSucceeded };
      const groups = await store.replayEvents(selection, { after: null, limit: 9 });
      return groups.filter(({ traits }) => traits.overtaken.length > 0).flatMap(({ events }) => events);
    };
    expect(await overtakenIn(true)).toEqual([3]);
    expect(await overtakenIn(false)).toEqual([1, 3]);
  });

  test('a step of a retry leaves alone what is overtaken', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    await ended(fixture, 'dead', { content: 'failed' });
    await ended(fixture, 'dead', { content: 'failed, too' });
    const now = clock.now();
    const selection = { deliveries: { status: 'dead' } } as const;
    const pace = { staged: false, rate: null, stopAt: null, reason: null };
    const job = { plan: 'p', action: 'retry', selection, planned: 2, requestedBy: 'ana', ...pace } as const;
    await store.createJob(job, now);
    await store.stepJob('j1', { items: ['d1', 'd2'], left: ['d1'], now });
    expect(await store.job('j1')).toMatchObject({ acted: 1, leftAlone: 1 });
    const all = await store.deliveries({}, { order: 'oldest', limit: 9 });
    expect(all.map(({ status }) => status)).toEqual(['dead', 'pending']);
  });
}
