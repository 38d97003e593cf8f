import { describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { setUp } from './kit/dispatch-setup.ts';

const quick = (name = 'quick', handle: () => unknown = () => undefined) =>
  defineHandler({ name, on: '*', handle });

describe('a store that fails', () => {
  it('is retried with growing waits and reported, and work continues by itself', async () => {
    const { dispatcher, give, store, until, emittedOf, clock, settle } = setUp([quick()]);
    const row = give('quick');
    let failures = 4;
    store.failure = (operation) =>
      operation === 'claim' && failures-- > 0 ? new PortariaError('store-busy', 'locked') : undefined;
    await dispatcher.start();
    await settle();
    for (let wakes = 0; wakes < 100; wakes += 1) dispatcher.wake();
    await settle();
    expect(store.calls.claim, 'waking does not shorten the pause').toBe(1);
    await until(() => row.status === 'succeeded');
    expect(clock.monotonic()).toBe(100 + 200 + 400 + 800);
    expect(emittedOf('dispatch.failed')).toHaveLength(4);
  });

  it('neither loses the outcome of a finished handler nor runs it twice', async () => {
    let runs = 0;
    const { dispatcher, give, store, until } = setUp([quick('once', () => (runs += 1))]);
    let failures = 20;
    store.failure = (operation) =>
      operation === 'succeed' && failures-- > 0 ? new PortariaError('store-full', 'no room') : undefined;
    const row = give('once');
    await dispatcher.start();
    await until(() => row.status === 'succeeded');
    expect([runs, row.attempts]).toEqual([1, 1]);
  });

  it('does not hold a lane for ever on an unknown error', async () => {
    const { dispatcher, give, store, until, logged } = setUp([quick()], { concurrency: 1 });
    store.failure = (operation) => (operation === 'succeed' ? new TypeError('a mistake') : undefined);
    const [lost, next] = [give('quick', 1), give('quick', 2)];
    await dispatcher.start();
    await until(() => logged.length > 0);
    store.failure = () => undefined;
    await until(() => next.status === 'succeeded');
    expect(logged[0]?.message).toContain('the outcome was not recorded');
    await until(() => lost.status === 'succeeded');
  });

  it.each(['claimed', 'prefetched', 'following in its lane'])(
    'has unreadable deliveries released, however often that fails: %s',
    async (which) => {
      const { dispatcher, give, store, until, emittedOf, clock } = setUp([quick()], { concurrency: 1 });
      if (which === 'prefetched') {
        const { claim } = store;
        store.claim = (request) => claim({ ...request, prefetch: 9 });
      }
      const first = give('quick', 1);
      const bad = give('quick', which === 'following in its lane' ? 1 : 2);
      let unreadable = true;
      store.unreadable = ({ id }) => (unreadable && id === bad.id ? 'a bad page' : undefined);
      let failures = 3;
      store.failure = (operation) =>
        operation === 'release' && failures-- > 0 ? new PortariaError('store-full', 'no room') : undefined;
      await dispatcher.start();

      await until(() => emittedOf('dispatch.released').length === 1);

      expect(first.status).toBe('succeeded');
      expect(bad).toMatchObject({ status: 'pending', attempts: 0 });
      expect(clock.monotonic(), 'the pauses between the tries').toBe(100 + 200 + 400);
      expect(emittedOf('dispatch.failed').map(({ reason }) => reason)).toEqual([
        'a bad page',
        ...Array<unknown>(3).fill(expect.stringContaining('no room')),
      ]);
      unreadable = false;
      await until(() => bad.status === 'succeeded');
      expect(clock.monotonic(), 'left alone for a second').toBe(700 + 1_000);
      expect(bad.attempts).toBe(1);
      await dispatcher.stop(0);
    },
  );

  it('does not delay a stop beyond its grace period when it rejects releases', async () => {
    const { dispatcher, give, store, settle, clock, logged } = setUp([quick()]);
    const row = give('quick');
    store.unreadable = () => 'a bad page';
    store.failure = (operation) =>
      operation === 'release' ? new PortariaError('store-full', 'no room') : undefined;
    await dispatcher.start();
    await settle();
    let stopped = false;
    void dispatcher.stop(5_000).then(() => (stopped = true));
    clock.advance(4_999);
    await settle();
    expect(stopped).toBe(false);

    clock.advance(1);
    await settle();

    expect([stopped, row.status, clock.untilNext]).toEqual([true, 'running', null]);
    expect(logged.at(-1)?.message).toContain('they will run again');
  });

  it('is polled again when a claim throws', async () => {
    const { dispatcher, give, store, until, logged } = setUp([quick()]);
    let failures = 6;
    store.failure = (operation) =>
      operation === 'claim' && failures-- > 0 ? new TypeError('a mistake') : undefined;
    const row = give('quick');
    await dispatcher.start();
    await until(() => row.status === 'succeeded');
    expect(logged.map(({ message }) => message)).toEqual(['claiming deliveries failed']);
  });
});
