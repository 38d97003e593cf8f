import { expect, test } from 'vitest';
import type { MachineCommit } from '../../../src/store/lane-queue.ts';
import { openFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';
import { eventNumber } from '../../../src/handle/fold/event-number.ts';
import { createReplay } from '../../support/replay-job.ts';

const company = { family: 'company', id: '1' };

function commit(lastEventId: string, more: Partial<MachineCommit> = {}): MachineCommit {
  return {
    machine: 'login',
    state: { phase: 'started' },
    version: '1',
    lastEventId,
    revision: 0,
    anomalies: [],
    refolded: false,
    effects: [],
    ...more,
  };
}

/** A machine's state is committed with the outcome of its delivery. */
export function machineRules(kind: StoreKind): void {
  const openMachine = async () => {
    const fixture = await openFixture(kind);
    const id = await fixture.stored({ content: 'A', version: '1' }, [route('login', { stale: true })]);
    const delivery = await fixture.claimOne({ handlers: ['login'] });
    const end = (machine: MachineCommit) =>
      fixture.store.complete(
        delivery,
        { status: 'succeeded', machine },
        { now: fixture.clock.now(), next: false },
      );
    const effects = () => fixture.claim({ handlers: ['login/effects'] });
    return { ...fixture, id, end, effects };
  };
  test('hasDiedOf is true until the machine has folded the event', async () => {
    const { store, clock, stored, claimOne } = await openFixture(kind);
    const id = await stored({ content: 'A', version: '1' }, [route('login')]);
    const at = { now: clock.now(), next: false };
    expect(await store.hasDiedOf('login', id)).toBe(false);

    await store.complete(await claimOne({ handlers: ['login'] }), { status: 'dead', reason: 'odd' }, at);
    expect(await store.hasDiedOf('login', id)).toBe(true);
    expect(await store.hasDiedOf('other', id)).toBe(false);

    const request = { handlers: ['login'] };
    const replay = await createReplay(store, request, at.now);
    await store.enqueueReplay(replay.id, [{ route: route('login'), events: [eventNumber(id)] }], {
      cursor: id,
      now: at.now,
    });
    const machine = commit(id);
    await store.complete(await claimOne({ handlers: ['login'] }), { status: 'succeeded', machine }, at);
    expect(await store.hasDiedOf('login', id)).toBe(false);
  });

  const effect = (eventId: string, name = 'onStarted') => ({
    eventId,
    name,
    change: { before: null, after: { phase: 'started' } },
    late: false,
  });

  test('stores state, anomalies, effects and the outcome of the delivery in one transaction', async () => {
    const { store, clock, id, end, effects } = await openMachine();

    await end(commit(id, { anomalies: [{ eventId: id, message: 'odd' }], effects: [effect(id)] }));

    expect(await store.machineState('login', 'default', company)).toEqual({
      machine: 'login',
      source: 'default',
      subject: company,
      state: { phase: 'started' },
      version: '1',
      lastEventId: id,
      revision: 1,
      updatedAt: clock.now(),
      anomalies: 1,
    });
    expect(await store.anomalies('login', 'default', company, 100)).toEqual([
      { machine: 'login', eventId: id, message: 'odd' },
    ]);
    expect(await effects()).toMatchObject([
      {
        handler: 'login/effects',
        effect: { name: 'onStarted', change: effect(id).change, late: false },
        replay: null,
        event: { id },
      },
    ]);
  });

  test('stores the latest 1,000 anomalies, and counts all', async () => {
    const { store, clock, id } = await openMachine();
    const odd = (count: number, from = 0) =>
      Array.from({ length: count }, (_, at) => ({ eventId: id, message: `odd ${String(from + at)}` }));
    const kept = async () => {
      const state = await store.machineState('login', 'default', company);
      const anomalies = await store.anomalies('login', 'default', company, 5_000);
      return [state?.anomalies, anomalies.length, anomalies[0]?.message, anomalies.at(-1)?.message];
    };

    const many = commit(id, { refolded: true, anomalies: odd(2_500) });
    await store.commitMachine('default', company, many, clock.now());
    expect(await kept()).toEqual([2_500, 1_000, 'odd 1500', 'odd 2499']);

    const more = commit(id, { revision: 1, anomalies: odd(3, 2_500) });
    await store.commitMachine('default', company, more, clock.now());
    expect(await kept()).toEqual([2_503, 1_000, 'odd 1503', 'odd 2502']);

    const few = commit(id, { revision: 2, refolded: true, anomalies: odd(2) });
    await store.commitMachine('default', company, few, clock.now());
    expect(await kept()).toEqual([2, 2, 'odd 0', 'odd 1']);
  });

  test('rejects a commit from another revision: nothing is stored, and the delivery stays in flight', async () => {
    const { store, clock, id, end, effects } = await openMachine();
    await store.commitMachine('default', company, commit(id), clock.now());

    const late = end(
      commit(id, {
        state: 'other',
        effects: [effect(id)],
        anomalies: [{ eventId: id, message: 'odd' }],
      }),
    );

    await expect(late).rejects.toMatchObject({ code: 'machine-conflict' });
    expect(await store.machineState('login', 'default', company)).toMatchObject({
      state: { phase: 'started' },
      revision: 1,
    });
    expect(await store.anomalies('login', 'default', company, 100)).toEqual([]);
    expect(await effects()).toEqual([]);
    expect(await store.deliveries({ handler: 'login' }, { order: 'oldest', limit: 9 })).toMatchObject([
      { status: 'running' },
    ]);

    await end(commit(id, { state: 'other', revision: 1 }));
    expect(await store.machineState('login', 'default', company)).toMatchObject({
      state: 'other',
      revision: 2,
    });
  });

  test('a conflict leaves the other operations of its batch committed', async () => {
    const { store, clock, accept, id, end } = await openMachine();
    await store.commitMachine('default', company, commit(id), clock.now());

    const [before, rejected, after] = await Promise.allSettled([
      accept({ content: 'B', version: '2' }),
      end(commit(id)),
      accept({ content: 'C', version: '3' }),
    ]);

    expect(before).toMatchObject({ status: 'fulfilled', value: { verdict: 'new' } });
    expect(rejected).toMatchObject({ status: 'rejected', reason: { code: 'machine-conflict' } });
    expect(after).toMatchObject({ status: 'fulfilled', value: { verdict: 'new' } });
    expect((await store.versionOrder({ source: 'default', subject: company })).events).toHaveLength(3);
  });

  test('stores an effect once for its event', async () => {
    const { store, clock, id, end, effects } = await openMachine();
    await end(commit(id, { effects: [effect(id), effect(id, 'onStep')] }));

    await store.commitMachine(
      'default',
      company,
      commit(id, { revision: 1, refolded: true, effects: [effect(id), effect(id, 'onFailed')] }),
      clock.now(),
    );

    const names = (await store.deliveries({ handler: 'login/effects' }, { order: 'oldest', limit: 9 })).map(
      (delivery) => delivery.effect,
    );
    expect(names).toEqual(['onStarted', 'onStep', 'onFailed']);
    // One lane for the machine's effects of a subject.
    expect(await effects()).toMatchObject([{ effect: { name: 'onStarted' } }]);
  });

  test('a refold replaces the anomalies, and a fold adds to them', async () => {
    const { store, clock, id, end } = await openMachine();
    const messages = async () =>
      (await store.anomalies('login', 'default', company, 100)).map(({ message }) => message);
    await end(commit(id, { anomalies: [{ eventId: id, message: 'one' }] }));

    const step = commit(id, { revision: 1, anomalies: [{ eventId: id, message: 'two' }] });
    await store.commitMachine('default', company, step, clock.now());
    expect(await messages()).toEqual(['one', 'two']);

    const refold = commit(id, {
      revision: 2,
      refolded: true,
      anomalies: [{ eventId: id, message: 'three' }],
    });
    await store.commitMachine('default', company, refold, clock.now());
    expect(await messages()).toEqual(['three']);
    expect(await store.machineState('login', 'default', company)).toMatchObject({ anomalies: 1 });
  });

  test('a replay delivers the effects of its own event again, once, and no others', async () => {
    const { store, clock, id, end, accept, claimOne, effects } = await openMachine();
    await end(commit(id, { effects: [effect(id)] }));
    const other = await accept({ content: 'B', version: '2' }, []);
    const replay = await createReplay(store, { handlers: ['login'] }, clock.now());
    await store.enqueueReplay(replay.id, [{ route: route('login'), events: [eventNumber(id)] }], {
      cursor: id,
      now: clock.now(),
    });
    const again = await claimOne({ handlers: ['login'] });

    await store.complete(
      again,
      {
        status: 'succeeded',
        machine: commit(id, { revision: 1, effects: [effect(id), effect(other.id)] }),
      },
      { now: clock.now(), next: false },
    );

    const [first] = await effects();
    expect(first).toMatchObject({ replay: null, event: { id } });
    expect(await store.deliveries({ handler: 'login/effects' }, { order: 'oldest', limit: 9 })).toMatchObject(
      [
        { eventId: id, replay: null },
        { eventId: id, replay: replay.id },
        { eventId: other.id, replay: null },
      ],
    );
  });

  test('lists states by machine, source, subject and anomalies', async () => {
    const { store, clock, id, end, accept } = await openMachine();
    await end(commit(id));
    const other = await accept({ subject: 'company:2', source: 'branch' }, []);
    await store.commitMachine(
      'branch',
      { family: 'company', id: '2' },
      commit(other.id, { machine: 'slip', anomalies: [{ eventId: other.id, message: 'odd' }] }),
      clock.now(),
    );
    const list = async (filter: Omit<Parameters<typeof store.listMachineStates>[0], 'limit'>) =>
      (await store.listMachineStates({ ...filter, limit: 9 })).map(({ machine }) => machine);

    expect(await list({})).toEqual(['login', 'slip']);
    expect(await list({ machine: 'slip' })).toEqual(['slip']);
    expect(await list({ source: 'branch' })).toEqual(['slip']);
    expect(await list({ subject: company })).toEqual(['login']);
    expect(await list({ anomalous: true })).toEqual(['slip']);
    expect(await list({ anomalous: false })).toEqual(['login']);
    expect(await store.listMachineStates({ limit: 1 })).toHaveLength(1);
    expect(await store.machineState('login', 'branch', company)).toBeNull();
  });

  test('rejects a commit for an unknown subject', async () => {
    const { store, clock, id } = await openMachine();

    const stray = store.commitMachine('default', { family: 'company', id: '99' }, commit(id), clock.now());

    await expect(stray).rejects.toMatchObject({ code: 'not-found' });
  });
}
