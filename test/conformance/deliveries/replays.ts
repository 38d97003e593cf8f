import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../../src/store/lane-queue.ts';
import type { EventFilter } from '../../../src/store/queries.ts';
import type { ReplayDeliveries, ReplaySelection } from '../../../src/store/replays.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';
import { eventNumber } from '../../../src/handle/fold/event-number.ts';
import { createReplay } from '../../support/replay-job.ts';

const request = {
  filter: { kinds: ['company.*'], since: 5 },
  handlers: ['anyone'],
  ifNotSucceeded: true,
  target: null,
};

const toAnyone = (event: string): ReplayDeliveries => ({
  route: route('anyone'),
  events: [eventNumber(event)],
});

async function replayOf(fixture: StoreFixture, ...events: readonly string[]): Promise<string> {
  const { id } = await createReplay(fixture.store, request, fixture.clock.now());
  const cursor = events.at(-1) ?? '';
  await fixture.store.enqueueReplay(id, events.map(toAnyone), { cursor, now: fixture.clock.now() });
  return id;
}

/** Replays deliver events again. */
export function replayRules(kind: StoreKind): void {
  test('stores where a replay is, and what has become of its deliveries', async () => {
    const fixture = await openFixture(kind);
    const event = await fixture.stored({});
    const now = fixture.clock.now();
    const replay = await createReplay(fixture.store, request, now);
    expect(replay).toMatchObject({
      id: 'j1',
      selection: { events: request },
      state: 'running',
      cursor: null,
    });

    await fixture.store.enqueueReplay('j1', [toAnyone(event)], { cursor: event, now });
    const enqueued = { cursor: String(eventNumber(event)), acted: 1, succeeded: 0, failed: 0 };
    expect(await fixture.store.job('j1')).toEqual({ ...replay, ...enqueued });
    expect(await fixture.store.recordJobResults('j1')).toEqual({
      job: { ...replay, ...enqueued, stage: { ...replay.stage, acted: 1 } },
      open: 1,
    });
    expect(await fixture.store.jobs({ limit: 9 })).toMatchObject([enqueued]);
  });

  test('what ended counts for the stage of a replay, what ended before it began does not', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    const events = [];
    for (const number of ['1', '2', '3'])
      events.push(await fixture.stored({ subject: `company:${number}` }, []));
    const id = await replayOf(fixture, ...events);
    const end = async (status: 'dead' | 'succeeded') => {
      const how = status === 'dead' ? { status, reason: 'x' } : { status };
      const claimed = await fixture.claimOne({ limit: 1 });
      await store.complete(claimed, how, { now: clock.now(), next: false });
    };
    await end('dead');
    expect((await store.recordJobResults(id)).job.stage).toMatchObject({ acted: 3, ended: 1, failed: 1 });
    const toStage = { from: ['running'], to: 'running', ending: null, stageSize: null } as const;
    await store.changeJob(id, { ...toStage, now: clock.now() });
    await end('succeeded');
    expect(await store.recordJobResults(id)).toMatchObject({
      job: { succeeded: 1, failed: 1, stage: { number: 2, acted: 0, ended: 1, failed: 0 } },
      open: 1,
    });
  });

  test('a replay that does not run enqueues nothing, and goes on where it was', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    const event = await fixture.stored({}, []);
    const id = await replayOf(fixture);
    const now = clock.now();
    await store.changeJob(id, { from: ['running'], to: 'cancelled', ending: null, now });
    await store.enqueueReplay(id, [toAnyone(event)], { cursor: event, now });
    expect(await store.job(id)).toMatchObject({ state: 'cancelled', cursor: null, acted: 0 });
    await store.changeJob(id, { from: ['cancelled'], to: 'running', ending: null, now });
    await store.enqueueReplay(id, [toAnyone(event)], { cursor: event, now });
    expect(await store.job(id)).toMatchObject({ cursor: String(eventNumber(event)), acted: 1 });
  });

  test('a replayed delivery has its replay and counts its own attempts', async () => {
    const fixture = await openFixture(kind);
    const event = await fixture.stored({});
    await fixture.succeed(await fixture.claimOne());

    const replay = await replayOf(fixture, event);

    expect(await fixture.claimOne()).toMatchObject({ replay, attempt: 1, event: { id: event, repeats: 0 } });
  });

  test('a lane runs replayed deliveries after those that it has', async () => {
    const fixture = await openFixture(kind);
    const first = await fixture.stored({ content: 'A' });
    await fixture.succeed(await fixture.claimOne());
    const live = await fixture.stored({ content: 'B' });
    const replay = await replayOf(fixture, first);

    const head = await fixture.claimOne();
    expect(head).toMatchObject({ event: { id: live }, replay: null });
    expect(await fixture.succeed(head, true)).toMatchObject({ event: { id: first }, replay });
  });

  test('runs replayed events in arrival order, whatever the order of the request', async () => {
    const fixture = await openFixture(kind);
    const [one, two, three, four] = [
      await fixture.stored({ content: 'A' }, []),
      await fixture.stored({ content: 'B' }, []),
      await fixture.stored({ content: 'C' }, []),
      await fixture.stored({ content: 'D' }, []),
    ];
    const { id } = await createReplay(fixture.store, request, fixture.clock.now());
    const alike = [
      { ...toAnyone(two), events: [two, four].map(eventNumber) },
      { ...toAnyone(one), events: [one, three].map(eventNumber) },
    ];
    const cursor = String(eventNumber(four));
    await fixture.store.enqueueReplay(id, alike, { cursor, now: fixture.clock.now() });

    expect(await fixture.store.job(id)).toMatchObject({ cursor: String(eventNumber(four)) });
    let next: ClaimedDelivery | null = await fixture.claimOne();
    for (const event of [one, two, three, four]) {
      if (next === null) throw new Error(`nothing follows up to ${event}`);
      expect(next).toMatchObject({ event: { id: event } });
      next = await fixture.succeed(next, true);
    }
  });

  test('enqueueing the same deliveries again, as after an interruption, adds nothing', async () => {
    const fixture = await openFixture(kind);
    const event = await fixture.stored({}, []);
    const replay = await replayOf(fixture, event);

    await fixture.store.enqueueReplay(replay, [toAnyone(event)], { cursor: event, now: fixture.clock.now() });

    expect(await fixture.store.job(replay)).toMatchObject({ acted: 1 });
  });

  test('a second replay adds another delivery', async () => {
    const fixture = await openFixture(kind);
    const event = await fixture.stored({}, []);
    await replayOf(fixture, event);
    await replayOf(fixture, event);

    expect(await fixture.store.deliveries({ eventId: event }, { order: 'oldest', limit: 9 })).toMatchObject([
      { replay: 'j1' },
      { replay: 'j2' },
    ]);
  });

  test('with order none, replayed deliveries do not wait either', async () => {
    const fixture = await openFixture(kind);
    const event = await fixture.stored({}, [route('anyone', { order: 'none' })]);
    const { id } = await createReplay(fixture.store, request, fixture.clock.now());
    await fixture.store.enqueueReplay(
      id,
      [{ ...toAnyone(event), route: route('anyone', { order: 'none' }) }],
      {
        cursor: event,
        now: fixture.clock.now(),
      },
    );

    expect(await fixture.claim()).toHaveLength(2);
  });

  test('rejects an unknown event or replay, and stores nothing of the call', async () => {
    const fixture = await openFixture(kind);
    const event = await fixture.stored({}, []);
    const options = { cursor: event, now: fixture.clock.now() };
    const { id } = await createReplay(fixture.store, request, fixture.clock.now());

    const stray = fixture.store.enqueueReplay(id, [toAnyone(event), toAnyone('99')], options);
    await expect(stray).rejects.toMatchObject({ code: 'not-found' });
    await expect(fixture.store.enqueueReplay('j9', [], options)).rejects.toMatchObject({ code: 'not-found' });

    expect(await fixture.store.job(id)).toMatchObject({ cursor: null, acted: 0 });
  });

  test("progress counts the replay's deliveries by status", async () => {
    const fixture = await openFixture(kind);
    const events: string[] = [];
    for (const number of ['1', '2', '3', '4'])
      events.push(await fixture.stored({ subject: `company:${number}` }));
    for (const delivery of await fixture.claim()) await fixture.succeed(delivery);
    const replay = await replayOf(fixture, ...events);
    const [one, two, three] = await fixture.claim({ limit: 3 });
    if (one === undefined || two === undefined || three === undefined) throw new Error('too few');
    const options = { now: fixture.clock.now(), next: false };
    await fixture.store.complete(one, { status: 'succeeded' }, options);
    await fixture.store.complete(two, { status: 'dead', reason: 'x' }, options);

    expect(await fixture.store.job(replay)).toMatchObject({ acted: 4, succeeded: 1, failed: 1, skipped: 0 });
  });

  test('stores replayed stale events as skipped for handlers that do not take them', async () => {
    const fixture = await openFixture(kind);
    await fixture.stored({ content: 'new', version: '2' }, []);
    const stale = await fixture.stored({ content: 'old', version: '1' }, []);

    const replay = await replayOf(fixture, stale);

    expect(await fixture.store.job(replay)).toMatchObject({ acted: 1, skipped: 1 });
  });

  test('groups the events of a replay by their traits, in pages', async () => {
    const fixture = await openFixture(kind);
    const [good, bad, later, alike] = [
      await fixture.stored({ subject: 'company:1', version: '2' }),
      await fixture.stored({ subject: 'company:2', kind: 'company.created' }),
      await fixture.stored({ subject: 'company:1', version: '1', content: 'old', recognized: false }, []),
      await fixture.stored({ subject: 'company:3' }, []),
    ];
    for (const delivery of await fixture.claim()) {
      const dies = delivery.event.id === bad;
      await fixture.store.complete(
        delivery,
        dies ? { status: 'dead', reason: 'x' } : { status: 'succeeded' },
        {
          now: fixture.clock.now(),
          next: false,
        },
      );
    }
    await replayOf(fixture, good);
    const { store } = fixture;
    const names = { succeeded: ['other', 'anyone'], inStatus: ['anyone'] };
    const all = { filter: {}, succeeded: [], inStatus: [] };
    const page = { after: null, limit: 9 };
    const read = async (selection: ReplaySelection, from: { after: string | null; limit: number } = page) =>
      (await store.replayEvents(selection, from)).toSorted(
        (one, other) => (one.events[0] ?? 0) - (other.events[0] ?? 0),
      );

    const plain = {
      overtaken: [],
      recognized: true,
      verdict: 'new',
      kind: 'company.updated',
      succeeded: [],
      inStatus: [],
    };
    const [first, second, third, fourth] = [good, bad, later, alike].map(eventNumber);
    expect(await read(all)).toEqual([
      { events: [first, fourth], traits: plain },
      { events: [second], traits: { ...plain, kind: 'company.created' } },
      { events: [third], traits: { ...plain, recognized: false, verdict: 'stale' } },
    ]);
    expect(await read({ ...all, ...names }, { after: null, limit: 1 })).toEqual([
      { events: [first], traits: { ...plain, succeeded: ['anyone'] } },
    ]);
    expect(await read({ ...all, filter: { kinds: ['*.updated'] } }, { after: good, limit: 9 })).toMatchObject(
      [{ events: [third] }, { events: [fourth] }],
    );
    expect(await read({ ...all, ...names })).toMatchObject([
      { events: [first] },
      { events: [second] },
      { events: [third] },
      { events: [fourth] },
    ]);
    expect(await read({ ...all, ...names, filter: { status: 'dead' } })).toMatchObject([
      { events: [second], traits: { succeeded: [], inStatus: ['anyone'] } },
    ]);
    expect(await read({ ...all, ...names, filter: { status: 'pending' } })).toMatchObject([
      { events: [first], traits: { succeeded: ['anyone'], inStatus: ['anyone'] } },
    ]);
    expect(await read(all, { after: 'another-1', limit: 9 })).toEqual([]);
  });

  test('counts the events of a replay by their traits, and their subjects once each', async () => {
    const fixture = await openFixture(kind);
    const { store } = fixture;
    await fixture.stored({ subject: 'company:1' });
    await fixture.stored({ subject: 'company:2' });
    await fixture.stored({ subject: 'company:2', content: 'other' }, []);
    await fixture.stored({ subject: 'company:2', content: 'third', kind: 'company.created' }, []);
    for (const delivery of await fixture.claim()) await fixture.succeed(delivery);
    const all = { filter: {}, succeeded: ['anyone'], inStatus: [], effects: [] };

    const counted = await store.countReplayEvents(all);
    expect(counted.subjects).toBe(2);
    expect(counted.groups.toSorted((one, other) => other.events - one.events)).toMatchObject([
      { kind: 'company.updated', succeeded: ['anyone'], events: 2 },
      { events: 1 },
      { events: 1 },
    ]);
    const none = { groups: [], subjects: 0, pruned: 0 };
    expect(await store.countReplayEvents({ ...all, filter: { kinds: ['charge.*'] } })).toEqual(none);
  });

  test('neither reads nor counts events after the last selected one', async () => {
    const fixture = await openFixture(kind);
    const { store } = fixture;
    const [first, last] = [
      await fixture.stored({ subject: 'company:1', version: '2' }),
      await fixture.stored({ subject: 'company:2', kind: 'company.created' }),
    ];
    // Events of a known class and subject, and of new ones.
    await fixture.stored({ subject: 'company:1', version: '3', content: 'later' });
    await fixture.stored({ subject: 'company:3', kind: 'charge.created' });
    const upTo = (id: string, filter: EventFilter = {}) => ({
      ...{ filter: { ...filter, upTo: id }, succeeded: ['anyone'], inStatus: [], effects: [] },
    });

    const counted = await store.countReplayEvents(upTo(last));
    expect(counted.subjects).toBe(2);
    expect(counted.groups.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))).toMatchObject([
      { kind: 'company.created', recognized: true, verdict: 'new', events: 1, succeeded: [] },
      { kind: 'company.updated', recognized: true, verdict: 'new', events: 1, succeeded: [] },
    ]);
    const read = await store.replayEvents(upTo(last), { after: null, limit: 9 });
    expect(read.flatMap(({ events }) => events).toSorted()).toEqual([first, last].map(eventNumber));
    expect(await store.countReplayEvents(upTo(last, { kinds: ['*.updated'] }))).toMatchObject({
      groups: [{ kind: 'company.updated', events: 1 }],
      subjects: 1,
      pruned: 0,
    });
    expect(await store.countReplayEvents(upTo('another-1'))).toEqual({ groups: [], subjects: 0, pruned: 0 });
  });

  test('counts the effects that events caused once each, however often replayed', async () => {
    const fixture = await openFixture(kind);
    const { store, clock } = fixture;
    const options = () => ({ now: clock.now(), next: false });
    const fold = route('login', { stale: true });
    const events: string[] = [];
    for (const id of ['1', '2', '3']) events.push(await fixture.stored({ subject: `company:${id}` }, [fold]));
    const [one = '', two = ''] = events;
    const foldAll = async (effects: Readonly<Record<string, readonly string[]>>) => {
      for (const delivery of await fixture.claim({ handlers: ['login'] })) {
        const { id } = delivery.event;
        const change = { before: null, after: null };
        const wanted = effects[id] ?? [];
        const machine = {
          machine: 'login',
          state: {},
          version: null,
          lastEventId: id,
          revision: delivery.replay === null ? 0 : 1,
          anomalies: [],
          refolded: false,
          effects: wanted.map((name) => ({ eventId: id, name, change, late: false })),
        };
        await store.complete(delivery, { status: 'succeeded', machine }, options());
      }
    };
    await foldAll({ [one]: ['onStarted', 'onStep'], [two]: ['onStarted'] });
    const ended = await fixture.claim({ handlers: ['login/effects'] });
    for (const delivery of ended)
      await store.complete(
        delivery,
        delivery.event.id === one ? { status: 'succeeded' } : { status: 'dead', reason: 'x' },
        options(),
      );
    const { id } = await createReplay(store, request, clock.now());
    await store.enqueueReplay(id, [{ route: fold, events: [eventNumber(one)] }], {
      cursor: one,
      now: clock.now(),
    });
    await foldAll({ [one]: ['onStarted'] });

    const effectsOf = async (filter: EventFilter) => {
      const selection = { filter, after: null, succeeded: [], inStatus: [] };
      const { groups } = await store.countReplayEvents({ ...selection, effects: ['login/effects', 'login'] });
      return groups.map(({ effects }) => effects);
    };
    const folds = { delivered: 3, succeeded: 3 };
    expect(await effectsOf({})).toEqual([[{ delivered: 3, succeeded: 1 }, folds]]);
    expect(await effectsOf({ ids: [two] })).toEqual([
      [
        { delivered: 1, succeeded: 0 },
        { delivered: 1, succeeded: 1 },
      ],
    ]);
  });
}
