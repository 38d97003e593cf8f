import { describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/define-handler.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { setUp } from './kit/dispatch-setup.ts';

const quick = (name = 'quick', handle: () => unknown = () => undefined) =>
  defineHandler({ name, on: '*', handle });

describe('a store that fails', () => {
  it('is asked again with growing pauses, told of, and work goes on by itself', async () => {
    const { dispatcher, give, store, until, toldOf, clock, settle } = setUp([quick()]);
    const row = give('quick');
    let failures = 4;
    store.trouble = (operation) =>
      operation === 'claim' && failures-- > 0 ? new PortariaError('store-busy', 'locked') : undefined;
    await dispatcher.start();
    await settle();
    for (let wakes = 0; wakes < 100; wakes += 1) dispatcher.wake();
    await settle();
    expect(store.calls.claim, 'waking does not shorten the pause').toBe(1);
    await until(() => row.status === 'succeeded');
    expect(clock.monotonic()).toBe(100 + 200 + 400 + 800);
    expect(toldOf('dispatch.failed')).toHaveLength(4);
  });

  it('does not lose the outcome of a finished handler, nor run it twice', async () => {
    let runs = 0;
    const { dispatcher, give, store, until } = setUp([quick('once', () => (runs += 1))]);
    let failures = 20;
    store.trouble = (operation) =>
      operation === 'succeed' && failures-- > 0 ? new PortariaError('store-full', 'no room') : undefined;
    const row = give('once');
    await dispatcher.start();
    await until(() => row.status === 'succeeded');
    expect([runs, row.attempts]).toEqual([1, 1]);
  });

  it('does not hold a slot for ever when it fails for no reason it names', async () => {
    const { dispatcher, give, store, until, logged } = setUp([quick()], { concurrency: 1 });
    store.trouble = (operation) => (operation === 'succeed' ? new TypeError('a mistake') : undefined);
    const [lost, next] = [give('quick', 1), give('quick', 2)];
    await dispatcher.start();
    await until(() => logged.length > 0);
    store.trouble = () => undefined;
    await until(() => next.status === 'succeeded');
    expect(lost.status).toBe('running');
    expect(logged[0]?.message).toContain('Outcome not recorded');
  });

  it.each(['claimed', 'claimed ahead', 'behind one that has ended'])(
    'has what cannot be read given back, however often that fails: %s',
    async (which) => {
      const { dispatcher, give, store, until, toldOf, clock } = setUp([quick()], { concurrency: 1 });
      if (which === 'claimed ahead') {
        const { claim } = store;
        store.claim = (request) => claim({ ...request, prefetch: 9 });
      }
      const first = give('quick', 1);
      const bad = give('quick', which === 'behind one that has ended' ? 1 : 2);
      let unreadable = true;
      store.unreadable = ({ id }) => (unreadable && id === bad.id ? 'a bad page' : undefined);
      let failures = 3;
      store.trouble = (operation) =>
        operation === 'release' && failures-- > 0 ? new PortariaError('store-full', 'no room') : undefined;
      await dispatcher.start();

      await until(() => toldOf('dispatch.released').length === 1);

      expect(first.status).toBe('succeeded');
      expect(bad).toMatchObject({ status: 'pending', attempts: 0 });
      expect(clock.monotonic(), 'the pauses between the tries').toBe(100 + 200 + 400);
      expect(toldOf('dispatch.failed').map(({ reason }) => reason)).toEqual([
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

  it('that takes nothing back does not hold up a stop for longer than its grace', async () => {
    const { dispatcher, give, store, settle, clock, logged } = setUp([quick()]);
    const row = give('quick');
    store.unreadable = () => 'a bad page';
    store.trouble = (operation) =>
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
    expect(logged.at(-1)?.message).toContain('they run again after the next start');
  });

  it('that makes mistakes when asked for work is asked again at the poll', async () => {
    const { dispatcher, give, store, until, logged } = setUp([quick()]);
    let failures = 6;
    store.trouble = (operation) =>
      operation === 'claim' && failures-- > 0 ? new TypeError('a mistake') : undefined;
    const row = give('quick');
    await dispatcher.start();
    await until(() => row.status === 'succeeded');
    expect(logged.map(({ message }) => message)).toEqual(['Claiming deliveries failed']);
  });
});
