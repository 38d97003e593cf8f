/** How many deliveries run at a time, and how they share the event loop. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { RetryLater } from '../../src/handle/define/outcome.ts';
import type { LaneQueue } from '../../src/store/lane-queue.ts';
import { setUp } from './kit/dispatch-setup.ts';

const quick = (name = 'quick', handle: () => unknown = () => undefined) =>
  defineHandler({ name, on: '*', handle });

/** A store that ignores the limit of claims. */
const claimEverything =
  (claim: LaneQueue['claim']): LaneQueue['claim'] =>
  (request) =>
    claim({ ...request, limit: 100 });

describe('concurrency', () => {
  it('is limited', async () => {
    let running = 0;
    let max = 0;
    const handler = defineHandler({
      name: 'busy',
      on: '*',
      handle: () => {
        max = Math.max(max, (running += 1));
        return new Promise<void>((resolve) =>
          clock.after(10, () => {
            running -= 1;
            resolve();
          }),
        );
      },
    });
    const { dispatcher, give, store, clock, until } = setUp([handler], { concurrency: 3 });
    for (let subject = 0; subject < 50; subject += 1) give('busy', subject);
    await dispatcher.start();
    await until(() => store.rows.every(({ status }) => status === 'succeeded'));
    expect(max).toBe(3);
  });

  it.each([
    // Three at a time, 10 ms each, are 30 in the 100 ms of prefetching.
    { handling: 10, least: 20, most: 30 },
    { handling: 1_000, least: 3, most: 3 },
  ])('claims $least to $most deliveries that take $handling ms each', async ({ handling, ...expected }) => {
    const handle = () => new Promise<void>((resolve) => clock.after(handling, resolve));
    const { dispatcher, give, store, clock, until } = setUp([quick('busy', handle)], { concurrency: 3 });
    for (let subject = 0; subject < 100; subject += 1) give('busy', subject);
    let max = 0;
    await dispatcher.start();
    await until(() => {
      max = Math.max(max, store.rows.filter(({ status }) => status === 'running').length);
      return store.rows.every(({ status }) => status === 'succeeded');
    });

    expect(max).toBeGreaterThanOrEqual(expected.least);
    expect(max).toBeLessThanOrEqual(expected.most);
  });

  it('starts what was claimed first before what was prefetched later', async () => {
    const begun: string[] = [];
    const handler = defineHandler({
      name: 'slow',
      on: '*',
      handle: (event) => {
        begun.push(event.subject.id);
        return new Promise<void>((resolve) => clock.after(1, resolve));
      },
    });
    const { dispatcher, give, clock, until } = setUp([handler], { concurrency: 1 });
    // More than are read at a time.
    for (let subject = 0; subject < 300; subject += 1) give('slow', subject);
    await dispatcher.start();
    await until(() => begun.length === 300);
    expect(begun).toEqual(Array.from({ length: 300 }, (_, subject) => String(subject)));
  });

  it('does not count deliveries whose outcome is being recorded', async () => {
    const order: string[] = [];
    const { dispatcher, give, store, settle } = setUp([quick('note', (): void => void order.push('ran'))], {
      concurrency: 1,
    });
    const { succeed } = store;
    const { promise: recording, resolve: record } = Promise.withResolvers<void>();
    store.succeed = async (...parameters) => {
      await recording;
      order.push('recorded');
      return succeed(...parameters);
    };
    store.claim = claimEverything(store.claim);
    for (let subject = 0; subject < 3; subject += 1) give('note', subject);

    await dispatcher.start();
    await settle();
    expect(order).toEqual(['ran', 'ran', 'ran']);

    record();
    await dispatcher.idle();
    expect(store.rows.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('releases prefetched deliveries at a stop, without an attempt', async () => {
    const begun: string[] = [];
    const handler = defineHandler({
      name: 'slow',
      on: '*',
      handle: (event) => {
        begun.push(event.subject.id);
        return new Promise(() => undefined);
      },
    });
    const { dispatcher, give, store, settle } = setUp([handler], { concurrency: 1 });
    store.claim = claimEverything(store.claim);
    for (let subject = 0; subject < 5; subject += 1) give('slow', subject);
    await dispatcher.start();
    await settle();
    expect(store.rows.map(({ status }) => status)).toEqual(Array(5).fill('running'));

    void dispatcher.stop(60_000);
    await settle();

    expect(begun).toEqual(['0']);
    const waiting = { status: 'pending', attempts: 0 };
    expect(store.rows).toMatchObject([{ status: 'running' }, waiting, waiting, waiting, waiting]);
  });

  it('runs 25 deliveries of a lane in a row at most while others wait', async () => {
    const order: string[] = [];
    const handler = defineHandler({
      name: 'note',
      on: '*',
      handle: (event) => void order.push(event.subject.id),
    });
    const { dispatcher, give } = setUp([handler], { concurrency: 1 });
    for (let count = 0; count < 60; count += 1) give('note', 'busy');
    give('note', 'patient');
    await dispatcher.start();
    await dispatcher.idle();
    expect(order.indexOf('patient')).toBe(25);
    expect(order).toHaveLength(61);
  });
});

describe('the event loop', () => {
  it('ticks after a millisecond of deliveries, also when handlers and store are synchronous', async () => {
    const { dispatcher, give, store, clock } = setUp([quick('slow', () => clock.advance(0.5))]);
    for (let count = 0; count < 100; count += 1) give('slow', count % 10);
    await dispatcher.start();
    const doneAt: number[] = [];
    while (store.rows.some(({ status }) => status !== 'succeeded')) {
      await nextTick();
      doneAt.push(store.rows.filter(({ status }) => status === 'succeeded').length);
    }
    const max = Math.max(...doneAt.map((done, at) => done - (doneAt[at - 1] ?? 0)));
    expect(max, 'two that take half a millisecond each').toBe(2);
  });

  it('does not tick after each quick delivery', async () => {
    const { dispatcher, give, store } = setUp([quick()]);
    for (let count = 0; count < 20; count += 1) give('quick');
    await dispatcher.start();
    await nextTick();
    await nextTick();
    expect(store.rows.every(({ status }) => status === 'succeeded')).toBe(true);
  });

  it('ticks once before a stored event is handled', async () => {
    const { dispatcher, give, settle, store } = setUp([quick()]);
    await dispatcher.start();
    await settle();
    give('quick');
    dispatcher.wake();
    for (let steps = 0; steps < 100; steps += 1) await Promise.resolve();
    expect(store.rows[0]?.status).toBe('running');
    await settle();
    expect(store.rows[0]?.status).toBe('succeeded');
  });
});

describe('polling', () => {
  it('happens at once on wake', async () => {
    const { dispatcher, give, settle } = setUp([quick()]);
    await dispatcher.start();
    await settle();
    const row = give('quick');
    dispatcher.wake();
    await settle();
    expect(row.status).toBe('succeeded');
  });

  it('answers many wakes with two claims at most', async () => {
    const { dispatcher, store, settle } = setUp([quick()]);
    await dispatcher.start();
    await settle();
    const before = store.calls.claim;
    for (let wakes = 0; wakes < 1_000; wakes += 1) dispatcher.wake();
    await settle();
    expect(store.calls.claim - before).toBeLessThanOrEqual(2);
  });

  it('finds what another process enqueued within the poll interval', async () => {
    const { dispatcher, give, pass } = setUp([quick()]);
    await dispatcher.start();
    await pass(1_000);
    const row = give('quick');
    await pass(249);
    expect(row.status).toBe('pending');
    await pass(1);
    expect(row.status).toBe('succeeded');
  });

  it('finds at once what another process tells of, and polls no more than 20 times a second for it', async () => {
    const { dispatcher, give, pass, store } = setUp([quick()]);
    let tell = (): void => undefined;
    Object.assign(store, {
      onForeignChange(callback: () => void) {
        tell = callback;
        return () => undefined;
      },
    });
    await dispatcher.start();
    await pass(60);
    const row = give('quick');
    tell();
    await pass(0);
    expect(row.status).toBe('succeeded');
    const before = store.calls.claim;
    for (let told = 0; told < 1_000; told += 1) {
      tell();
      await pass(1);
    }
    expect(store.calls.claim - before).toBe(20);
  });

  it('claims once per interval while nothing is pending', async () => {
    const { dispatcher, pass, store } = setUp([quick()]);
    await dispatcher.start();
    await pass(10_000);
    expect(store.calls.claim).toBe(41);
  });

  it('claims once per interval while all deliveries wait', async () => {
    const { dispatcher, give, pass, store } = setUp([quick('later', () => RetryLater(3_600_000))]);
    for (let subject = 0; subject < 3; subject += 1) give('later', subject);
    await dispatcher.start();
    await pass(0);
    const before = store.calls.claim;
    await pass(10_000);
    expect(store.calls.claim - before).toBe(40);
  });

  it('claims at the due time when that is before the next poll', async () => {
    const { dispatcher, give, pass } = setUp([quick()]);
    const row = give('quick', 1, { dueAt: Date.UTC(2026, 0, 1) + 137 });
    await dispatcher.start();
    await pass(136);
    expect(row.status).toBe('pending');
    await pass(1);
    expect(row.status).toBe('succeeded');
  });

  it('does not spin when the store reports due work and returns none', async () => {
    const { dispatcher, store, pass, clock } = setUp([quick()]);
    Object.assign(store, {
      claim: () => {
        store.calls.claim += 1;
        return Promise.resolve({ deliveries: [], nextDueAt: clock.now() - 5 });
      },
    });
    await dispatcher.start();
    await pass(1_000);
    expect(store.calls.claim).toBe(5);
  });

  it('never claims for handlers that are not registered', async () => {
    const { dispatcher, give } = setUp([quick()]);
    const row = give('removed');
    await dispatcher.start();
    await dispatcher.idle();
    expect(row.status).toBe('pending');
  });
});

describe('idleness', () => {
  it('waits for retries and for deliveries enqueued before the call', async () => {
    let runs = 0;
    const { dispatcher, give, pass, settle } = setUp([
      quick('twice', () => {
        runs += 1;
        return runs === 1 ? RetryLater(1_000) : undefined;
      }),
    ]);
    await dispatcher.start();
    await dispatcher.idle();
    const row = give('twice');
    let idle = false;
    void dispatcher.idle().then(() => (idle = true));
    await settle();
    expect(idle).toBe(false);
    await pass(1_000);
    expect([idle, row.status]).toEqual([true, 'succeeded']);
  });
});

describe('idleness during a claim', () => {
  it('is not reported when work is enqueued meanwhile', async () => {
    const { dispatcher, give, store, settle } = setUp([quick('later', () => RetryLater(1_000))]);
    const claim = store.claim.bind(store);
    const answers: (() => void)[] = [];
    Object.assign(store, {
      claim: async (request: Parameters<typeof claim>[0]) => {
        const claimed = await claim(request);
        await new Promise<void>((resolve) => answers.push(resolve));
        return claimed;
      },
    });
    await dispatcher.start();
    let idle = false;
    void dispatcher.idle().then(() => (idle = true));
    await settle();
    for (let round = 0; round < 3; round += 1) {
      give('later', round);
      dispatcher.wake();
      answers.shift()?.();
      await settle();
      expect(idle).toBe(false);
    }
  });
});
