import { afterEach, describe, expect, it } from 'vitest';
import { GiveUp } from '../../src/handle/define/outcome.ts';
import type { AfterDeadLetter } from '../../src/handle/define/policies.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import type { PauseScope } from '../../src/store/pauses.ts';
import type { Confirm } from '../../src/dispatch/attempt/resolve-ambiguity.ts';
import { companyEvent, setUp } from './kit/dispatch-setup.ts';
import { setUpOnSqlite, type SqliteSetup } from './kit/sqlite-setup.ts';

const opened: SqliteSetup[] = [];

afterEach(async () => {
  for (const { store, dispatcher } of opened.splice(0)) {
    await dispatcher.stop(0);
    await store.close();
  }
});

interface Setup extends SqliteSetup {
  /** The subjects for which the handler began, in order. */
  readonly begun: readonly string[];
  /** Lets the handlers that run end. */
  finishRunning(): void;
}

/** A handler `ledger` that runs until the gate opens. */
async function open(options: Parameters<typeof setUpOnSqlite>[1] = {}): Promise<Setup> {
  const begun: string[] = [];
  let gates: (() => void)[] = [];
  let isOpen = false;
  const ledger = defineHandler({
    name: 'ledger',
    on: 'charge.*',
    async handle(event) {
      begun.push(event.subject.id);
      if (!isOpen) await new Promise<void>((resolve) => gates.push(resolve));
    },
  });
  const setup = await setUpOnSqlite([ledger], options);
  opened.push(setup);
  return {
    ...setup,
    begun,
    finishRunning() {
      isOpen = true;
      for (const gate of gates) gate();
      gates = [];
    },
  };
}

const handler: PauseScope = { handler: 'ledger', source: null, subject: null };
const lane = (id: string): PauseScope => ({ ...handler, subject: { family: 'charge', id } });

const pause = ({ store, clock }: Setup, scope: PauseScope) =>
  store.pause(scope, { reason: 'repair', pausedBy: 'ana', until: null, now: clock.now() });

const acknowledged = async ({ store }: Setup) =>
  (await store.pauses()).map(({ acknowledgedAt }) => acknowledgedAt !== null);

describe('afterDeadLetter', () => {
  /** Given a handler that gives up on the first event of subject 1, and three events of it and one of subject 2. */
  async function given(afterDeadLetter: AfterDeadLetter | undefined) {
    const handled: string[] = [];
    let doomed = true;
    const ledger = defineHandler({
      ...{ name: 'ledger', on: 'charge.*', ...(afterDeadLetter && { afterDeadLetter }) },
      handle({ data, subject }) {
        const text = `${subject.id} ${String((data as { code?: unknown }).code)}`;
        handled.push(text);
        return doomed && text === '1 n1' ? GiveUp('no such account') : undefined;
      },
    });
    const setup = await setUpOnSqlite([ledger]);
    opened.push(setup);
    await setup.dispatcher.start();
    for (const subject of [1, 1, 2, 1]) await setup.receive(subject);
    await setup.settle();
    const mend = () => (doomed = false);
    return { ...setup, handled, mend };
  }

  it.each([undefined, 'continue'] as const)('%s: the lane goes on behind a dead letter', async (how) => {
    const { handled, store } = await given(how);
    expect(handled.toSorted()).toEqual(['1 n1', '1 n2', '1 n4', '2 n3']);
    expect(await store.pauses()).toEqual([]);
  });

  it('hold: the lane waits, others run, and a retry goes through it in order', async () => {
    const { handled, store, dispatcher, settle, clock, mend } = await given('hold');
    expect(handled.toSorted()).toEqual(['1 n1', '2 n3']);

    mend();
    await store.retryDeliveries(['d1'], clock.now());
    dispatcher.wake();
    await settle();

    expect(handled.slice(2)).toEqual(['1 n1', '1 n2', '1 n4']);
  });

  it('hold: the lane still waits after a restart', async () => {
    const { handled, dispatcher, restart, settle } = await given('hold');
    await dispatcher.stop(0);
    const next = restart();
    await next.start();
    await settle();
    expect(handled).toHaveLength(2);
    await next.stop(0);
  });
});

describe('an operator’s pause', () => {
  it('is noticed within a poll, acknowledged, and lets what runs finish', async () => {
    const setup = await open();
    await setup.dispatcher.start();
    await setup.receive(1);
    await setup.settle();
    await pause(setup, handler);
    expect(await acknowledged(setup)).toEqual([false]);
    await setup.pass(250);
    expect(await acknowledged(setup)).toEqual([true]);

    await setup.receive(1);
    await setup.receive(2);
    setup.finishRunning();
    await setup.settle();

    expect(setup.begun).toEqual(['1']);
    expect((await setup.rows()).map(({ status }) => status)).toEqual(['succeeded', 'pending', 'pending']);
  });

  it.each([
    ['a handler', handler, []],
    ['a lane', lane('2'), ['3', '4']],
    ['a source', { handler: null, source: 'default', subject: null }, []],
  ])('holds back what is prefetched and has not begun: %s', async (_, scope, others) => {
    const setup = await open({ concurrency: 1 });
    const { store } = setup;
    const claim = store.claim.bind(store);
    // As if many deliveries had just finished.
    store.claim = (request) => claim({ ...request, prefetch: 4_096 });
    for (const subject of [1, 2, 3, 4]) await setup.receive(subject);
    await setup.dispatcher.start();
    await setup.settle();
    expect(setup.begun).toEqual(['1']);
    expect((await setup.rows()).map(({ status }) => status)).toEqual(Array(4).fill('running'));
    await pause(setup, scope);
    setup.dispatcher.wake();
    await setup.settle();
    expect(await acknowledged(setup)).toEqual([true]);

    setup.finishRunning();
    await setup.dispatcher.idle();

    expect(setup.begun.toSorted()).toEqual(['1', ...others]);
    const waiting = (await setup.rows()).filter(({ status }) => status === 'pending');
    expect(waiting).toHaveLength(3 - others.length);
    for (const { attempts, pausedBy } of waiting)
      expect({ attempts, pausedBy }).toMatchObject({ attempts: 0, pausedBy: { reason: 'repair' } });
  });

  it('begins nothing while an ambiguous event is checked with the provider', async () => {
    const begun: string[] = [];
    let answer: () => void = () => undefined;
    const confirm: Confirm = {
      asks: () => true,
      find: () =>
        new Promise((resolve) => {
          answer = () => {
            resolve({ resolution: 'confirmed', reason: null });
          };
        }),
    };
    const ledger = defineHandler({
      name: 'ledger',
      on: '*',
      handle: ({ id }) => void begun.push(id),
    });
    const { store, dispatcher, give, settle, clock, emittedOf } = setUp([ledger], { confirm });
    give('ledger', 2, { event: { ...companyEvent(1, '2'), verdict: 'ambiguous' } });
    await dispatcher.start();
    await settle();
    store.pauses = async () => [
      {
        ...lane('2'),
        ...{ id: 'p1', reason: 'x', pausedBy: 'ana', pausedAt: clock.now(), until: null },
        acknowledgedAt: null,
        deadLetter: null,
        subject: { family: 'company', id: '2' },
      },
    ];
    store.pauseChanges = async () => 1;
    dispatcher.wake();
    await settle();

    answer();
    await settle();

    expect(begun).toEqual([]);
    expect(emittedOf('delivery.released').map(({ reason }) => reason)).toContain(
      'its handler, source or lane is paused',
    );
    await dispatcher.stop(0);
  });

  it.each([
    ['the same scope', lane('2')],
    ['the whole handler', handler],
  ])('that has ended hides none of %s that lasts', async (_, scope) => {
    const begun: string[] = [];
    let answer = (): void => undefined;
    const confirm: Confirm = {
      asks: () => true,
      find: () =>
        new Promise((resolve) => {
          answer = () => {
            resolve({ resolution: 'confirmed', reason: null });
          };
        }),
    };
    const ledger = defineHandler({ name: 'ledger', on: '*', handle: ({ id }) => void begun.push(id) });
    const { store, dispatcher, give, settle, clock } = setUp([ledger], { confirm });
    give('ledger', 2, { event: { ...companyEvent(1, '2'), verdict: 'ambiguous' } });
    await dispatcher.start();
    await settle();
    const shared = { reason: 'x', pausedBy: 'ana', pausedAt: clock.now(), acknowledgedAt: null };
    const subject = { family: 'company', id: '2' };
    store.pauses = async () => [
      { ...lane('2'), ...shared, subject, id: 'p1', until: null, deadLetter: 'd1' },
      {
        ...scope,
        ...shared,
        ...(scope.subject && { subject }),
        id: 'p2',
        until: clock.now(),
        deadLetter: null,
      },
    ];
    store.pauseChanges = async () => 1;
    dispatcher.wake();
    await settle();

    answer();
    await settle();

    expect(begun).toEqual([]);
    await dispatcher.stop(0);
  });

  it('ends at once when it is resumed, in the order of the lane', async () => {
    const setup = await open();
    setup.finishRunning();
    await setup.dispatcher.start();
    const { id } = await pause(setup, lane('1'));
    for (const subject of [1, 1, 2, 1]) await setup.receive(subject);
    await setup.settle();
    expect(setup.begun).toEqual(['2']);

    await setup.store.resume([id]);
    setup.dispatcher.wake();
    await setup.settle();

    expect(setup.begun).toEqual(['2', '1', '1', '1']);
    const order = (await setup.rows()).filter(({ subject }) => subject.id === '1');
    expect(order.map(({ finishedAt }) => finishedAt)).not.toContain(null);
  });

  it('ends by itself, without anyone’s call', async () => {
    const setup = await open();
    setup.finishRunning();
    await setup.dispatcher.start();
    const until = setup.clock.now() + 10_000;
    await setup.store.pause(lane('1'), { reason: 'x', pausedBy: 'ana', until, now: setup.clock.now() });
    await setup.receive(1);
    await setup.pass(9_000);
    expect(setup.begun).toEqual([]);

    await setup.pass(1_500);

    expect(setup.begun).toEqual(['1']);
  });

  it('is known to the next process from its start', async () => {
    const setup = await open();
    setup.finishRunning();
    await pause(setup, handler);
    await setup.receive(1);

    await setup.dispatcher.start();
    await setup.dispatcher.idle();

    expect([setup.begun, await acknowledged(setup)]).toEqual([[], [true]]);
  });
});
