import { describe, expect, it } from 'vitest';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { PortariaError } from '../../src/kernel/errors.ts';
import { setUp } from './kit/dispatch-setup.ts';

const effectCalls: unknown[] = [];

const counter = (
  evolve: (state: { count: number }) => { count: number } = ({ count }) => ({ count: count + 1 }),
) =>
  defineMachine({
    name: 'counter',
    on: 'company.*',
    initial: { count: 0 },
    retry: { attempts: 2, baseMs: 1_000 },
    evolve,
    anomalies: ({ after }) => (after.count === 2 ? ['two is one too many'] : []),
    effects: {
      odd: {
        when: ({ after }) => after.count % 2 === 1,
        run: (change, { idempotencyKey, attempt }) => {
          effectCalls.push({
            before: change.before,
            after: change.after,
            id: change.event.id,
            late: change.late,
            idempotencyKey,
          });
          if (attempt === 1) throw new Error('once');
        },
      },
    },
  });

describe('a machine', () => {
  it('folds events in order, reports anomalies, and enqueues effects as deliveries', async () => {
    effectCalls.length = 0;
    const { dispatcher, give, store, until, pass, emittedOf } = setUp([counter()]);
    const folds = [give('counter'), give('counter')];
    await dispatcher.start();
    await until(() => store.rows.length === 3 && store.rows.every(({ status }) => status === 'succeeded'));
    expect(await store.machineState('counter', 'default', folds[0]!.event.subject)).toMatchObject({
      state: { count: 2 },
      revision: 2,
    });
    const effect = { before: { count: 0 }, after: { count: 1 }, id: 'sample-1', late: false };
    const call = { ...effect, idempotencyKey: 'sample-1/counter/odd' };
    expect(effectCalls).toEqual([call, call]);
    expect(store.rows[2]).toMatchObject({ handler: 'counter/effects', attempts: 2 });
    expect(emittedOf('machine.anomaly')).toEqual([]);
    await pass(60_000);
    expect(emittedOf('machine.anomaly')).toEqual([
      {
        name: 'machine.anomaly',
        machine: 'counter',
        subject: 'company:1',
        event: 'sample-2',
        message: 'two is one too many',
      },
    ]);
  });

  it('reports only the anomalies of the replayed event again', async () => {
    const { dispatcher, give, store, pass, emittedOf } = setUp([counter()]);
    const events = [give('counter'), give('counter'), give('counter')].map(({ event }) => event);
    await dispatcher.start();
    await pass(60_000);
    store.enqueue({ handler: 'counter', event: events[2]!, replay: 'r1' });
    dispatcher.wake();
    await pass(60_000);
    expect(emittedOf('machine.anomaly')).toHaveLength(1);
    store.enqueue({ handler: 'counter', event: events[1]!, replay: 'r2' });
    dispatcher.wake();
    await pass(60_000);
    expect(emittedOf('machine.anomaly').map(({ event }) => event)).toEqual(['sample-2', 'sample-2']);
  });

  it('stops reading a long history at shutdown, without costing an attempt', async () => {
    const { dispatcher, give, store, settle } = setUp([counter()]);
    for (let events = 0; events < 1_200; events += 1) give('somebody-else');
    const row = give('counter');
    store.failure = (operation) => {
      if (operation === 'storedEvents' && store.calls.storedEvents === 2) void dispatcher.stop(0);
      return undefined;
    };
    await dispatcher.start();
    await settle();
    expect(store.calls.storedEvents).toBe(2);
    expect(row).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('folds again at once when another process changed its state', async () => {
    const { dispatcher, give, store, settle } = setUp([counter()]);
    let conflicts = 2;
    store.failure = (operation) =>
      operation === 'complete' && conflicts-- > 0
        ? new PortariaError('machine-conflict', 'changed')
        : undefined;
    const row = give('counter', 1);
    await dispatcher.start();
    await settle();
    expect(row).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(store.calls.machineState).toBe(3);
  });

  it('fails the attempt when its state keeps changing', async () => {
    const { dispatcher, give, store, pass } = setUp([counter()]);
    let conflicts = 5;
    store.failure = (operation) =>
      operation === 'complete' && conflicts-- > 0
        ? new PortariaError('machine-conflict', 'changed')
        : undefined;
    const row = give('counter');
    await dispatcher.start();
    await pass(0);
    expect(row).toMatchObject({ status: 'pending', attempts: 1 });
    expect(row.lastError).toContain('changed');
    await pass(500);
    expect(row).toMatchObject({ status: 'succeeded', attempts: 2 });
  });

  it('is retried and dies like a handler when evolve throws', async () => {
    const { dispatcher, give, until } = setUp([
      counter(() => {
        throw new RangeError('no such state');
      }),
    ]);
    const row = give('counter');
    await dispatcher.start();
    await until(() => row.status === 'dead');
    expect(row.attempts).toBe(2);
    expect(row.lastError).toMatch(/^RangeError: no such state/);
  });

  it('costs no attempt when the store cannot be read', async () => {
    const { dispatcher, give, store, until, emittedOf } = setUp([counter()]);
    let busy = 7;
    store.failure = (operation) =>
      operation === 'machineState' && busy-- > 0 ? new PortariaError('store-busy', 'locked') : undefined;
    const row = give('counter');
    await dispatcher.start();
    await until(() => row.status === 'succeeded');
    expect(row.attempts).toBe(1);
    expect(emittedOf('dispatch.failed')).toHaveLength(7);
  });

  it('costs no attempt when the store fails for long and is mended later', async () => {
    const { dispatcher, give, store, until } = setUp([counter()]);
    let broken = 40;
    store.failure = (operation) =>
      operation === 'machineState' && broken-- > 0
        ? new PortariaError('store-failed', 'I/O error')
        : undefined;
    const row = give('counter');
    await dispatcher.start();
    await until(() => row.status === 'succeeded');
    expect(row.attempts).toBe(1);
  });

  it('releases its fold at shutdown when the store cannot be read', async () => {
    const { dispatcher, give, store, settle } = setUp([counter()]);
    store.failure = (operation) =>
      operation === 'machineState' ? new PortariaError('store-busy', 'locked') : undefined;
    const row = give('counter');
    await dispatcher.start();
    await settle();
    await dispatcher.stop(0);
    expect(row).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('marks deliveries of a removed effect dead, with that reason', async () => {
    const { dispatcher, give } = setUp([counter()]);
    const effect = { name: 'renamed', change: { before: { count: 0 }, after: { count: 1 } }, late: false };
    const row = give('counter/effects', 1, { effect });
    await dispatcher.start();
    await dispatcher.idle();
    expect(row).toMatchObject({ status: 'dead', attempts: 1 });
    expect(row.lastError).toBe('machine counter no longer has an effect renamed');
  });
});
