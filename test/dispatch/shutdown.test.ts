import { describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { setUp } from './kit/dispatch-setup.ts';
import type { MemoryLanes } from './kit/memory-lanes.ts';

/** Handlers that run until the test ends them. */
function given() {
  const runs: { finish: (value?: unknown) => void; fail: (error: unknown) => void; signal: AbortSignal }[] =
    [];
  const handler = defineHandler({
    name: 'slow',
    on: '*',
    handle: (_event, { signal }) =>
      new Promise((resolve, reject) => runs.push({ finish: resolve, fail: reject, signal })),
  });
  return { ...setUp([handler]), runs };
}

/** Claims prefetch from the start, as if many deliveries had just finished. */
function prefetch(store: MemoryLanes): void {
  const { claim } = store;
  store.claim = (request) => claim({ ...request, prefetch: 4_096 });
}

/** Whether a promise has resolved. */
function watch(promise: Promise<void>): { done: boolean } {
  const watched = { done: false };
  void promise.then(() => (watched.done = true));
  return watched;
}

describe('stopping', () => {
  it('starts nothing, and waits for running deliveries within its grace period', async () => {
    const { dispatcher, give, runs, settle, clock, store } = given();
    const [running, waiting] = [give('slow', 1), give('slow', 1)];
    await dispatcher.start();
    await settle();
    const stopped = watch(dispatcher.stop(5_000));
    give('slow', 2);
    dispatcher.wake();
    clock.advance(4_999);
    await settle();
    expect([stopped.done, runs[0]?.signal.aborted]).toEqual([false, false]);
    runs[0]?.finish();
    await settle();
    expect(stopped.done).toBe(true);
    expect(running.status).toBe('succeeded');
    expect(waiting).toMatchObject({ status: 'pending', attempts: 0 });
    expect(store.rows[2]).toMatchObject({ status: 'pending', attempts: 0 });
    expect(store.calls.release, 'the lane’s next was not even claimed').toBe(0);
    expect(clock.untilNext, 'no timer keeps the process alive').toBeNull();
  });

  it('aborts and releases the rest after the grace period, without costing an attempt', async () => {
    const { dispatcher, give, runs, settle, clock, emittedOf } = given();
    const row = give('slow');
    await dispatcher.start();
    await settle();
    const stopped = watch(dispatcher.stop(5_000));
    clock.advance(5_000);
    await settle();
    expect(runs[0]?.signal.reason).toMatchObject({ name: 'AbortError' });
    expect(stopped.done).toBe(true);
    expect(row).toMatchObject({ status: 'pending', attempts: 0 });
    expect(emittedOf('delivery.released')).toEqual([
      expect.objectContaining({ delivery: 'd1', reason: 'stopping' }),
    ]);
  });

  it('does so at once without a grace period and on a second call', async () => {
    const { dispatcher, give, settle } = given();
    const row = give('slow');
    await dispatcher.start();
    await settle();
    const first = watch(dispatcher.stop(60_000));
    await settle();
    expect(first.done).toBe(false);
    await dispatcher.stop(60_000);
    expect(first.done).toBe(true);
    expect(row).toMatchObject({ status: 'pending', attempts: 0 });

    const other = given();
    other.give('slow');
    await other.dispatcher.start();
    await other.settle();
    await other.dispatcher.stop(0);
    expect(other.store.rows[0]).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('records a failure within the grace period as a failure', async () => {
    const { dispatcher, give, runs, settle } = given();
    const row = give('slow');
    await dispatcher.start();
    await settle();
    const stopped = watch(dispatcher.stop(5_000));
    runs[0]?.fail(new Error('no'));
    await settle();
    expect(stopped.done).toBe(true);
    expect(row).toMatchObject({
      status: 'pending',
      attempts: 1,
      lastError: expect.stringContaining('no') as string,
    });
  });

  it('releases the deliveries of a claim in progress', async () => {
    const { dispatcher, give, runs, store } = given();
    give('slow');
    const claim = store.claim.bind(store);
    const { promise: delivered, resolve: deliver } = Promise.withResolvers<void>();
    Object.assign(store, {
      claim: async (request: Parameters<typeof claim>[0]) => {
        const claimed = await claim(request);
        await delivered;
        return claimed;
      },
    });
    await dispatcher.start();
    const stopped = dispatcher.stop(5_000);
    deliver();
    await stopped;
    expect(runs).toEqual([]);
    expect(store.rows[0]).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('releases prefetched deliveries unread, in one operation', async () => {
    const { dispatcher, give, settle, store, emittedOf } = given();
    prefetch(store);
    for (let subject = 0; subject < 4_100; subject += 1) give('slow', subject);
    await dispatcher.start();
    await settle();
    const [read, operations] = [store.reads(), store.calls.release];
    expect(store.rows.every(({ status }) => status === 'running')).toBe(true);

    const stopped = watch(dispatcher.stop(60_000));
    await settle();

    expect(store.reads()).toBe(read);
    expect(read, 'the first to wait for slots').toBe(64);
    expect(store.calls.release - operations, 'each of these, and all others together').toBe(64 + 1);
    expect(store.rows.slice(0, 4).map(({ status }) => status)).toEqual(Array(4).fill('running'));
    expect(store.rows.slice(4).every(({ status, attempts }) => status === 'pending' && attempts === 0)).toBe(
      true,
    );
    expect(emittedOf('dispatch.released')).toEqual([
      { name: 'dispatch.released', handler: 'slow', deliveries: 4_100 - 4 - 64, reason: 'stopping' },
    ]);
    expect([stopped.done, dispatcher.status().running]).toEqual([false, 4]);
  });

  it('ends when the store fails: deliveries in flight run again after a restart', async () => {
    const { dispatcher, give, runs, settle, clock, store, restart, logged } = given();
    const row = give('slow');
    await dispatcher.start();
    await settle();
    store.failure = (operation) =>
      operation === 'claim' ? undefined : new PortariaError('store-full', 'no room');
    const stopped = watch(dispatcher.stop(1_000));
    runs[0]?.finish();
    await settle();
    expect(stopped.done).toBe(false);
    clock.advance(1_000);
    await settle();
    expect(stopped.done).toBe(true);
    expect(row.status).toBe('running');
    expect(logged.at(-1)?.message).toContain('the delivery will run again');

    store.failure = () => undefined;
    const next = restart();
    await next.start();
    await settle();
    expect(row).toMatchObject({ status: 'running', attempts: 2 });
    runs[1]?.finish();
    await next.idle();
    expect(row.status).toBe('succeeded');
  });

  it('interrupts retries of a failing claim', async () => {
    const { dispatcher, store, settle } = given();
    store.failure = (operation) =>
      operation === 'claim' ? new PortariaError('store-busy', 'locked') : undefined;
    await dispatcher.start();
    await settle();
    await dispatcher.stop(60_000);
    expect(store.calls.claim).toBe(2);
  });

  it('during a start that waits for the store leaves no listener and claims nothing', async () => {
    const { dispatcher, give, store, clock } = given();
    give('slow');
    const listeners = new Set<unknown>();
    const listen = (callback: unknown) => {
      listeners.add(callback);
      return () => void listeners.delete(callback);
    };
    const { recover } = store;
    const { promise: recovering, resolve: goOn } = Promise.withResolvers<void>();
    Object.assign(store, {
      onForeignChange: listen,
      onTakeOver: listen,
      onLeaseLost: listen,
      recover: () => recovering.then(recover),
    });
    const started = dispatcher.start();
    const stopped = dispatcher.stop(5_000);

    goOn();
    await Promise.all([started, stopped]);

    expect([listeners.size, store.calls.claim, clock.untilNext]).toEqual([0, 0, null]);
  });

  it('is harmless before the start and after the end, and resolves idle', async () => {
    const { dispatcher, give, settle, clock } = given();
    const never = given();
    await never.dispatcher.stop(100);
    await never.dispatcher.idle();
    give('slow');
    await dispatcher.start();
    await settle();
    const idle = watch(dispatcher.idle());
    await dispatcher.stop(0);
    await dispatcher.stop(0);
    await settle();
    expect(idle.done).toBe(true);
    await dispatcher.idle();
    expect(clock.untilNext).toBeNull();
  });
});

describe('starting', () => {
  it('fails with the store’s error, and may be called again', async () => {
    const { dispatcher, give, store, settle, runs } = given();
    give('slow');
    store.failure = () => new PortariaError('store-busy', 'locked');
    await expect(dispatcher.start()).rejects.toMatchObject({ code: 'store-busy' });
    await settle();
    expect(store.calls.claim).toBe(0);
    store.failure = () => undefined;
    await dispatcher.start();
    await dispatcher.start();
    await settle();
    expect(runs).toHaveLength(1);
    expect(store.calls.recover).toBe(2);
    await dispatcher.stop(0);
  });
});
