import { expect, test } from 'vitest';
import { eventNumber } from '../../../src/handle/fold/event-number.ts';
import { DAY_MS } from '../../../src/kernel/time/durations.ts';
import type { NewMachineBase, PruneEvents } from '../../../src/store/retention.ts';
import { request } from './retention.ts';
import { openFixture, type StoreFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

const company = { family: 'company', id: '1' };
const none: readonly never[] = [];

/** Events that a machine has folded are pruned with the state that they leave. */
export function foldedSubjectRules(kind: StoreKind): void {
  const foldOne = async (fixture: StoreFixture, content: string, version: string, revision: number) => {
    const id = await fixture.stored({ content, version }, [route('login', { stale: true })]);
    const delivery = await fixture.claimOne({ handlers: ['login'] });
    const machine = {
      machine: 'login',
      state: { last: content },
      version,
      lastEventId: id,
      revision,
      anomalies: [],
      refolded: false,
      effects: [],
    };
    const at = { now: fixture.clock.now(), next: false };
    await fixture.store.complete(delivery, { status: 'succeeded', machine }, at);
    return id;
  };
  const base = (revision: number): NewMachineBase => ({
    machine: 'login',
    source: 'default',
    subject: company,
    state: { last: 'A' },
    through: 1,
    revision,
  });

  test('lists them by subject with their machines', async () => {
    const fixture = await openFixture(kind);
    await foldOne(fixture, 'A', '1', 0);
    await fixture.stored({ subject: 'company:2', content: 'B' }, none);
    fixture.clock.advance(DAY_MS);

    const before = fixture.clock.now();
    expect(await fixture.store.prunableEvents({ before, after: 0, limit: 10 })).toMatchObject({
      rows: [2],
      folded: [{ source: 'default', subject: company, machines: ['login'], events: [1] }],
    });
  });

  test('keeps them unless the machine is named', async () => {
    const fixture = await openFixture(kind);
    await foldOne(fixture, 'A', '1', 0);
    fixture.clock.advance(DAY_MS);

    const prune = (more: Partial<PruneEvents>) =>
      fixture.store.pruneEvents(request(fixture, { events: [1], ...more }));
    expect(await prune({})).toMatchObject({ events: 0 });
    expect(await prune({ machines: ['other'] })).toMatchObject({ events: 0 });
    expect(await prune({ machines: ['login'], bases: [base(1)] })).toMatchObject({ events: 1 });

    expect(await fixture.store.machineBase('login', 'default', company)).toEqual({
      state: { last: 'A' },
      through: 1,
    });
    expect(await fixture.store.machineBase('login', 'branch', company)).toBeNull();
  });

  test('prunes nothing when the state has changed since its base was read', async () => {
    const fixture = await openFixture(kind);
    const id = await foldOne(fixture, 'A', '1', 0);
    await foldOne(fixture, 'B', '2', 1);
    fixture.clock.advance(DAY_MS);

    const stale = fixture.store.pruneEvents(
      request(fixture, { events: [1], machines: ['login'], bases: [base(1)] }),
    );

    await expect(stale).rejects.toMatchObject({ code: 'machine-conflict' });
    expect((await fixture.store.event(id))?.body).not.toBeNull();
    expect(await fixture.store.machineBase('login', 'default', company)).toBeNull();
  });

  test('keeps them while the machine waits for any event of the subject', async () => {
    const fixture = await openFixture(kind);
    await foldOne(fixture, 'A', '1', 0);
    await fixture.stored({ content: 'B', version: '2' }, [route('login', { stale: true })]);
    fixture.clock.advance(DAY_MS);
    const before = fixture.clock.now();

    expect(await fixture.store.prunableEvents({ before, after: 0, limit: 10 })).toMatchObject({
      rows: [],
      folded: [],
      waiting: 2,
    });
    const pruning = request(fixture, { events: [1], machines: ['login'], bases: [base(1)] });
    expect(await fixture.store.pruneEvents(pruning)).toMatchObject({ events: 0 });
  });

  test('keeps their places in the history', async () => {
    const fixture = await openFixture(kind);
    const first = await foldOne(fixture, 'A', '1', 0);
    const second = await foldOne(fixture, 'B', '2', 1);
    fixture.clock.advance(DAY_MS);
    const third = await foldOne(fixture, 'C', '3', 2);
    await fixture.store.pruneEvents(
      request(fixture, { events: [1, 2], machines: ['login'], bases: [{ ...base(3), through: 2 }] }),
    );

    const order = await fixture.store.versionOrder({ source: 'default', subject: company });
    expect([...order.events]).toEqual([first, second, third].map(eventNumber));
    expect(order).toMatchObject({ version: '3', prunedThrough: 2 });
    expect(await fixture.store.eventBefore('default', company, third)).toBe(second);
  });
}
