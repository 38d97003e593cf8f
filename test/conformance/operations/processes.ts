import { expect, test } from 'vitest';
import type { HandlerProcess } from '../../../src/store/processes.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

const processOf = (id: string, startedAt: number): HandlerProcess => ({
  id,
  host: 'fleet-1',
  pid: 4711,
  version: '1.0.0',
  startedAt,
  handlers: [
    {
      name: 'charges',
      type: 'handler',
      on: ['charge.*', 'company.created'],
      order: 'none',
      stale: true,
      retry: { attempts: 3, baseMs: 5, maxMs: 50 },
      timeoutMs: 1_000,
      breaker: { failures: 20, subjects: 5, giveUps: 5 },
      effects: [],
    },
  ],
});

/** Processes record their handlers. */
export function processRules(kind: StoreKind): void {
  test('a process is listed with its handlers until it unregisters', async () => {
    const { store, clock } = await openFixture(kind);
    const started = processOf('one', clock.now());
    expect(await store.processes()).toEqual([]);

    await store.registerProcess(started, []);
    expect(await store.processes()).toEqual([started]);

    await store.unregisterProcess('another');
    expect(await store.processes()).toHaveLength(1);
    await store.unregisterProcess('one');
    expect(await store.processes()).toEqual([]);
  });

  test('a process that registers again is listed once', async () => {
    const { store, clock } = await openFixture(kind);
    const started = processOf('one', clock.now());
    await store.registerProcess(started, []);
    await store.registerProcess(started, []);
    expect(await store.processes()).toEqual([started]);
  });

  test('a running process is listed with what it has in flight, and that it leads', async () => {
    const { store, clock, stored, claim, openAgain } = await openFixture(kind);
    await store.registerProcess(processOf('one', clock.now()), []);
    for (const id of ['1', '2']) await stored({ subject: `company:${id}` });
    expect(await claim()).toHaveLength(2);

    const running = { version: '1.0.0', startedAt: clock.now(), leads: true, inFlight: 2 };
    expect(await store.runningProcesses()).toMatchObject([running]);
    const guest = await openAgain('guest');
    expect(await guest.runningProcesses()).toMatchObject([running]);

    await store.close();
    expect(await guest.runningProcesses()).toEqual([]);
  });

  test('the command line beside it sees a process; once it was killed, nobody does', async () => {
    const { store, clock, openAgain } = await openFixture(kind);
    await store.registerProcess(processOf('killed', clock.now()), []);
    const guest = await openAgain('guest');
    expect(await guest.processes()).toMatchObject([{ id: 'killed', pid: 4711 }]);

    // Closed without unregistering, as when a process is killed.
    await store.close();
    expect(await guest.processes()).toEqual([]);

    const next = await openAgain('owner');
    expect(await next.processes(), 'before the next process has registered').toEqual([]);
    expect(await guest.processes()).toEqual([]);
    await next.registerProcess(processOf('next', clock.now()), []);
    expect(await guest.processes()).toMatchObject([{ id: 'next' }]);
  });
}
