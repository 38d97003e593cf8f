import { describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { setUp } from './kit/dispatch-setup.ts';
import type { MemoryLanes } from './kit/memory-lanes.ts';

/** A handler that notes the subjects it begins. */
function given(concurrency?: number) {
  const begun: string[] = [];
  const quick = defineHandler({
    name: 'quick',
    on: '*',
    handle: (event) => void begun.push(event.subject.id),
  });
  return { ...setUp([quick], concurrency === undefined ? {} : { concurrency }), begun };
}

describe('a delivery that another process may have taken over', () => {
  it('does not start: it is released without an attempt, and starts after the next claim', async () => {
    const { dispatcher, give, settle, store, begun, clock } = given();
    const row = give('quick');
    const asked: string[] = [];
    // As after a freeze: what was claimed before is not this process's own, what it claims then is.
    store.isOwn = ({ id }) => asked.push(id) > 1;
    const { release } = store;
    let atRelease: readonly string[] = ['never released'];
    store.release = (...parameters) => {
      atRelease = [...begun];
      return release(...parameters);
    };
    await dispatcher.start();
    await settle();
    clock.advance(250);
    await settle();

    expect(atRelease, 'nothing had begun').toEqual([]);
    expect(begun).toHaveLength(1);
    expect(row).toMatchObject({ status: 'succeeded', attempts: 1 });
    await dispatcher.stop(0);
  });

  it('does not start when it was prefetched either', async () => {
    const { dispatcher, give, settle, store, begun } = given(1);
    const { claim } = store;
    let claims = 0;
    store.claim = (request) => {
      claims += 1;
      return claims === 1 ? claim({ ...request, prefetch: 10 }) : claim({ ...request, limit: 0 });
    };
    const rows = [1, 2, 3].map((subject) => give('quick', subject));
    store.isOwn = () => begun.length === 0;
    await dispatcher.start();
    await settle();

    expect(begun, 'the first one ended, and then the process was frozen').toHaveLength(1);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['succeeded', 1],
      ['pending', 0],
      ['pending', 0],
    ]);
    await dispatcher.stop(0);
  });
});

/** A handler that runs until its signal aborts, on a store that tells when this process has lost its lease. */
function givenAborts() {
  const reasons: unknown[] = [];
  const patient = defineHandler({
    name: 'patient',
    on: '*',
    handle: (_event, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(new Error('aborted'));
        });
      }),
  });
  const setup = setUp([patient]);
  const loss = listenForLoss(setup.store);
  return { ...setup, reasons, loss };
}

/** Lets a test end the lease of this process. */
function listenForLoss(store: MemoryLanes) {
  const listeners = new Set<(holder: number) => void>();
  store.onLeaseLost = (callback) => {
    listeners.add(callback);
    return () => listeners.delete(callback);
  };
  return (holder: number) => {
    for (const listener of listeners) listener(holder);
  };
}

describe('an attempt of a process that has lost its lease', () => {
  it('is aborted, and released without a failure of its handler', async () => {
    const { dispatcher, give, settle, reasons, loss, emittedOf } = givenAborts();
    const row = give('patient');
    await dispatcher.start();
    await settle();
    expect(row.status).toBe('running');
    loss(0);
    await settle();

    expect(emittedOf('lease.lost')).toEqual([{ name: 'lease.lost', attempts: 1 }]);
    const reason = 'another process has taken over this delivery';
    expect(reasons[0]).toMatchObject({ name: 'AbortError', message: reason });
    expect(emittedOf('delivery.released')).toMatchObject([{ reason }]);
    expect(emittedOf('delivery.retrying')).toEqual([]);
    await dispatcher.stop(0);
  });

  it('is aborted, too, while the process waits for it to end', async () => {
    const { dispatcher, give, settle, reasons, loss } = givenAborts();
    give('patient');
    await dispatcher.start();
    await settle();
    const stopped = dispatcher.stop(10_000);
    await settle();
    expect(reasons).toEqual([]);

    loss(0);
    await stopped;

    expect(reasons).toMatchObject([{ message: 'another process has taken over this delivery' }]);
  });

  it('goes on when the lost lease is another one than its own', async () => {
    const { dispatcher, give, settle, reasons, loss, emittedOf } = givenAborts();
    const row = give('patient');
    await dispatcher.start();
    await settle();
    loss(41);
    await settle();

    expect(emittedOf('lease.lost')).toEqual([{ name: 'lease.lost', attempts: 0 }]);
    expect([reasons, row.status]).toEqual([[], 'running']);
    await dispatcher.stop(0);
  });
});
