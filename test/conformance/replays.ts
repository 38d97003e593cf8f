import { expect, test } from 'vitest';
import type { ClaimedDelivery } from '../../src/store/lane-queue.ts';
import type { EventFilter } from '../../src/store/queries.ts';
import type { ReplayDeliveries, ReplaySelection } from '../../src/store/replays.ts';
import { openDesk, type Desk } from './desk.ts';
import { route } from './sample-event.ts';
import type { StoreKind } from './store-place.ts';
import { eventNumber } from '../../src/handle/fold/event-number.ts';

const wish = {
  filter: { kinds: ['company.*'], since: 5 },
  handlers: ['anyone'],
  ifNotSucceeded: true,
  target: null,
};

const toAnyone = (event: string): ReplayDeliveries => ({
  route: route('anyone'),
  events: [eventNumber(event)],
});

async function replayOf(desk: Desk, ...events: readonly string[]): Promise<string> {
  const { id } = await desk.store.createReplay(wish, desk.clock.now());
  const cursor = events.at(-1) ?? '';
  await desk.store.enqueueReplay(id, events.map(toAnyone), { cursor, now: desk.clock.now() });
  return id;
}

/** Events put into lanes again. */
export function replayRules(kind: StoreKind): void {
  test('a replay is remembered with what it was asked and how far it is', async () => {
    const desk = await openDesk(kind);
    const event = await desk.stored({});
    const now = desk.clock.now();
    const replay = await desk.store.createReplay(wish, now);
    expect(replay).toEqual({ ...wish, id: 'r1', createdAt: now, status: 'running', cursor: null });

    await desk.store.enqueueReplay('r1', [toAnyone(event)], { cursor: event, now });
    expect(await desk.store.replay('r1')).toEqual({ ...replay, cursor: event });

    await desk.store.finishReplay('r1');
    await desk.store.createReplay({ ...wish, target: 'http://localhost' }, now);
    expect(await desk.store.replays(9)).toMatchObject([
      { id: 'r2', target: 'http://localhost' },
      { id: 'r1', status: 'finished' },
    ]);
    expect(await desk.store.replays(1)).toHaveLength(1);
    expect(await desk.store.replay('r9')).toBeNull();
  });

  test('a replayed delivery carries its replay and counts its own tries', async () => {
    const desk = await openDesk(kind);
    const event = await desk.stored({});
    await desk.succeed(await desk.claimOne());

    const replay = await replayOf(desk, event);

    expect(await desk.claimOne()).toMatchObject({ replay, attempt: 1, event: { id: event, repeats: 0 } });
  });

  test('a lane takes replayed deliveries after what it holds', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A' });
    await desk.succeed(await desk.claimOne());
    const live = await desk.stored({ content: 'B' });
    const replay = await replayOf(desk, first);

    const head = await desk.claimOne();
    expect(head).toMatchObject({ event: { id: live }, replay: null });
    expect(await desk.succeed(head, true)).toMatchObject({ event: { id: first }, replay });
  });

  test('events that are told in any order are taken in the order in which they arrived', async () => {
    const desk = await openDesk(kind);
    const [one, two, three, four] = [
      await desk.stored({ content: 'A' }, []),
      await desk.stored({ content: 'B' }, []),
      await desk.stored({ content: 'C' }, []),
      await desk.stored({ content: 'D' }, []),
    ];
    const { id } = await desk.store.createReplay(wish, desk.clock.now());
    const alike = [
      { ...toAnyone(two), events: [two, four].map(eventNumber) },
      { ...toAnyone(one), events: [one, three].map(eventNumber) },
    ];
    const cursor = String(eventNumber(four));
    await desk.store.enqueueReplay(id, alike, { cursor, now: desk.clock.now() });

    expect(await desk.store.replay(id)).toMatchObject({ cursor: four });
    let next: ClaimedDelivery | null = await desk.claimOne();
    for (const event of [one, two, three, four]) {
      if (next === null) throw new Error(`nothing follows up to ${event}`);
      expect(next).toMatchObject({ event: { id: event } });
      next = await desk.succeed(next, true);
    }
  });

  test('enqueueing the same again, as after an interruption, adds nothing', async () => {
    const desk = await openDesk(kind);
    const event = await desk.stored({}, []);
    const replay = await replayOf(desk, event);

    await desk.store.enqueueReplay(replay, [toAnyone(event)], { cursor: event, now: desk.clock.now() });

    expect(await desk.store.replayProgress(replay)).toMatchObject({ pending: 1 });
  });

  test('a second replay is another delivery', async () => {
    const desk = await openDesk(kind);
    const event = await desk.stored({}, []);
    await replayOf(desk, event);
    await replayOf(desk, event);

    expect(await desk.store.deliveries({ eventId: event }, { order: 'oldest', limit: 9 })).toMatchObject([
      { replay: 'r1' },
      { replay: 'r2' },
    ]);
  });

  test('order none: the deliveries of a replay wait for nothing either', async () => {
    const desk = await openDesk(kind);
    const event = await desk.stored({}, [route('anyone', { order: 'none' })]);
    const { id } = await desk.store.createReplay(wish, desk.clock.now());
    await desk.store.enqueueReplay(id, [{ ...toAnyone(event), route: route('anyone', { order: 'none' }) }], {
      cursor: event,
      now: desk.clock.now(),
    });

    expect(await desk.claim()).toHaveLength(2);
  });

  test('an unknown event or replay is an error, and nothing of the call is stored', async () => {
    const desk = await openDesk(kind);
    const event = await desk.stored({}, []);
    const options = { cursor: event, now: desk.clock.now() };
    const { id } = await desk.store.createReplay(wish, desk.clock.now());

    const stray = desk.store.enqueueReplay(id, [toAnyone(event), toAnyone('99')], options);
    await expect(stray).rejects.toMatchObject({ code: 'not-found' });
    await expect(desk.store.enqueueReplay('r9', [], options)).rejects.toMatchObject({ code: 'not-found' });
    await expect(desk.store.finishReplay('r9')).rejects.toMatchObject({ code: 'not-found' });

    expect(await desk.store.replay(id)).toMatchObject({ cursor: null });
    expect(await desk.store.replayProgress(id)).toMatchObject({ pending: 0 });
  });

  test('progress counts the deliveries of the replay by status', async () => {
    const desk = await openDesk(kind);
    const events: string[] = [];
    for (const number of ['1', '2', '3', '4'])
      events.push(await desk.stored({ subject: `company:${number}` }));
    for (const delivery of await desk.claim()) await desk.succeed(delivery);
    const replay = await replayOf(desk, ...events);
    const [one, two, three] = await desk.claim({ limit: 3 });
    if (one === undefined || two === undefined || three === undefined) throw new Error('too few');
    const options = { now: desk.clock.now(), next: false };
    await desk.store.complete(one, { status: 'succeeded' }, options);
    await desk.store.complete(two, { status: 'dead', reason: 'x' }, options);

    expect(await desk.store.replayProgress(replay)).toEqual({
      pending: 1,
      running: 1,
      succeeded: 1,
      dead: 1,
      skipped: 0,
    });
  });

  test('stale events stay skipped for handlers that do not want them', async () => {
    const desk = await openDesk(kind);
    await desk.stored({ content: 'new', version: '2' }, []);
    const stale = await desk.stored({ content: 'old', version: '1' }, []);

    const replay = await replayOf(desk, stale);

    expect(await desk.store.replayProgress(replay)).toMatchObject({ pending: 0, skipped: 1 });
  });

  test('a claim can be kept to one replay, whose turn it is in the lane', async () => {
    const desk = await openDesk(kind);
    const waiting = await desk.stored({ subject: 'company:1' });
    const done = await desk.stored({ subject: 'company:2' });
    await desk.succeed(
      (await desk.claim()).find(({ event }) => event.id === done) ?? (await desk.claimOne()),
    );
    await desk.store.recover();
    const replay = await replayOf(desk, waiting, done);

    const claimed = await desk.claimOne({ replay });
    expect(claimed).toMatchObject({ replay, event: { id: done } });

    // The other lane still holds its first delivery.
    expect(await desk.claim({ replay })).toEqual([]);
    expect(await desk.claim({ replay: 'r9' })).toEqual([]);
    const live = await desk.claimOne();
    expect(live).toMatchObject({ replay: null, event: { id: waiting } });
    await desk.succeed(live);
    expect(await desk.claimOne({ replay })).toMatchObject({ event: { id: waiting }, replay });
  });

  test('advance kept to one replay claims nothing else', async () => {
    const desk = await openDesk(kind);
    const first = await desk.stored({ content: 'A' }, []);
    const replay = await replayOf(desk, first);
    await desk.stored({ content: 'B' });
    const now = desk.clock.now();

    const head = await desk.claimOne({ replay });
    expect(await desk.store.complete(head, { status: 'succeeded' }, { now, next: true, replay })).toBeNull();

    expect(await desk.claimOne()).toMatchObject({ replay: null });
  });

  test('a replay tells when its next delivery is due', async () => {
    const desk = await openDesk(kind);
    const event = await desk.stored({}, []);
    const replay = await replayOf(desk, event);
    const now = desk.clock.now();
    await desk.store.reschedule(await desk.claimOne({ replay }), { now, dueAt: now + 70, reason: 'x' });

    expect(await desk.store.claim({ now, limit: 1, handlers: ['anyone'], replay })).toMatchObject({
      deliveries: [],
      nextDueAt: now + 70,
    });
  });

  test('the events of a replay are told by what chooses their handlers, in pages', async () => {
    const desk = await openDesk(kind);
    const [good, bad, later, alike] = [
      await desk.stored({ subject: 'company:1', version: '2' }),
      await desk.stored({ subject: 'company:2', kind: 'company.created' }),
      await desk.stored({ subject: 'company:1', version: '1', content: 'old', recognized: false }, []),
      await desk.stored({ subject: 'company:3' }, []),
    ];
    for (const delivery of await desk.claim()) {
      const dies = delivery.event.id === bad;
      await desk.store.complete(delivery, dies ? { status: 'dead', reason: 'x' } : { status: 'succeeded' }, {
        now: desk.clock.now(),
        next: false,
      });
    }
    await replayOf(desk, good);
    const { store } = desk;
    const names = { succeeded: ['somebody', 'anyone'], inStatus: ['anyone'] };
    const all = { filter: {}, succeeded: [], inStatus: [] };
    const page = { after: null, limit: 9 };
    const read = async (selection: ReplaySelection, from: { after: string | null; limit: number } = page) =>
      (await store.replayEvents(selection, from)).toSorted(
        (one, other) => (one.events[0] ?? 0) - (other.events[0] ?? 0),
      );

    const plain = { recognized: true, verdict: 'new', kind: 'company.updated', succeeded: [], inStatus: [] };
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

  test('the events of a replay are counted by what tells them apart, and their subjects once each', async () => {
    const desk = await openDesk(kind);
    const { store } = desk;
    const [first] = [
      await desk.stored({ subject: 'company:1' }),
      await desk.stored({ subject: 'company:2' }),
      await desk.stored({ subject: 'company:2', content: 'other' }, []),
      await desk.stored({ subject: 'company:2', content: 'third', kind: 'company.created' }, []),
    ];
    for (const delivery of await desk.claim()) await desk.succeed(delivery);
    const all = { filter: {}, after: null, succeeded: ['anyone'], inStatus: [], effects: [] };

    const counted = await store.countReplayEvents(all);
    expect(counted.subjects).toBe(2);
    expect(counted.groups.toSorted((one, other) => other.events - one.events)).toMatchObject([
      { kind: 'company.updated', succeeded: ['anyone'], events: 2 },
      { events: 1 },
      { events: 1 },
    ]);
    expect(await store.countReplayEvents({ ...all, after: first })).toMatchObject({ subjects: 1 });
    const none = { groups: [], subjects: 0 };
    expect(await store.countReplayEvents({ ...all, filter: { kinds: ['charge.*'] } })).toEqual(none);
    expect(await store.countReplayEvents({ ...all, after: 'another-1' })).toEqual(none);
  });

  test('events that were stored after the last one meant are neither read nor counted', async () => {
    const desk = await openDesk(kind);
    const { store } = desk;
    const [first, last] = [
      await desk.stored({ subject: 'company:1', version: '2' }),
      await desk.stored({ subject: 'company:2', kind: 'company.created' }),
    ];
    // Of a class and a subject that are there already, and of new ones.
    await desk.stored({ subject: 'company:1', version: '3', content: 'later' });
    await desk.stored({ subject: 'company:3', kind: 'charge.created' });
    const upTo = (id: string, filter: EventFilter = {}) => ({
      ...{ filter: { ...filter, upTo: id }, after: null, succeeded: ['anyone'], inStatus: [], effects: [] },
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
    });
    expect(await store.countReplayEvents(upTo('another-1'))).toEqual({ groups: [], subjects: 0 });
  });

  test('the effects that events brought about are counted once each, however often they were replayed', async () => {
    const desk = await openDesk(kind);
    const { store, clock } = desk;
    const options = () => ({ now: clock.now(), next: false });
    const fold = route('login', { stale: true });
    const events: string[] = [];
    for (const id of ['1', '2', '3']) events.push(await desk.stored({ subject: `company:${id}` }, [fold]));
    const [one = '', two = ''] = events;
    const foldAll = async (effects: Readonly<Record<string, readonly string[]>>) => {
      for (const delivery of await desk.claim({ handlers: ['login'] })) {
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
    const ended = await desk.claim({ handlers: ['login/effects'] });
    for (const delivery of ended)
      await store.complete(
        delivery,
        delivery.event.id === one ? { status: 'succeeded' } : { status: 'dead', reason: 'x' },
        options(),
      );
    const { id } = await store.createReplay(wish, clock.now());
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
