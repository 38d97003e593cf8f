import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { GiveUp, RetryLater } from '../../src/handle/define/outcome.ts';
import { companyEvent, setUp } from './kit/dispatch-setup.ts';
import type { Row } from './kit/memory-lanes.ts';

/** A handler that fails while its application is down. */
function given(
  options: { readonly attempts?: number; readonly concurrency?: number; readonly pollMs?: number } = {},
) {
  const application = { up: false, calls: [] as string[], answer: (): unknown => undefined };
  const handler = defineHandler({
    name: 'forward',
    on: '*',
    retry: { attempts: options.attempts ?? 100, baseMs: 10, maxMs: 10 },
    handle: (event) => {
      application.calls.push(event.subject.id);
      if (!application.up) throw new Error('refused');
      return application.answer();
    },
  });
  const other = defineHandler({ name: 'other', on: '*', handle: () => undefined });
  return { ...setUp([handler, other], { concurrency: 4, ...options }), application };
}

const attemptsOf = (rows: readonly Row[]): number => rows.reduce((sum, { attempts }) => sum + attempts, 0);

describe('a handler that fails for all subjects', () => {
  it('opens its breaker after twenty failures in a row, while other handlers run', async () => {
    const { dispatcher, give, application, pass, emittedOf, clock } = given();
    const rows = Array.from({ length: 40 }, (_, subject) => give('forward', subject));
    await dispatcher.start();
    await pass(500);
    expect(emittedOf('breaker.opened')).toEqual([
      expect.objectContaining({
        handler: 'forward',
        openMs: 1_000,
        reason: expect.stringMatching(/^Error: refused/) as string,
      }),
    ]);
    const [breaker] = dispatcher.status().openBreakers;
    expect(breaker).toMatchObject({
      handler: 'forward',
      reason: expect.stringContaining('refused') as string,
    });
    expect(breaker?.untilMs).toBeGreaterThan(clock.now());
    expect(breaker?.untilMs).toBeLessThanOrEqual(clock.now() + 1_000);
    const calls = application.calls.length;
    const row = give('other');
    dispatcher.wake();
    await pass(100);
    expect(row.status).toBe('succeeded');
    expect(application.calls.length, 'not called while it is open').toBe(calls);
    expect(attemptsOf(rows)).toBe(20);
  });

  it('has its prefetched deliveries released unread, in one operation', async () => {
    const { dispatcher, give, store, settle, emittedOf } = given();
    const { claim } = store;
    store.claim = (request) => claim({ ...request, prefetch: 4_096 });
    const rows = Array.from({ length: 1_000 }, (_, subject) => give('forward', subject));
    const others = Array.from({ length: 1_000 }, (_, subject) => give('other', subject));
    await dispatcher.start();
    await settle();

    expect(emittedOf('breaker.opened')).toHaveLength(1);
    expect(attemptsOf(rows)).toBe(20);
    const unread = emittedOf('dispatch.released');
    expect(unread).toMatchObject([{ handler: 'forward', reason: 'the breaker of the handler is open' }]);
    const one = emittedOf('delivery.released').length;
    expect(20 + one + (unread[0]?.deliveries ?? 0)).toBe(1_000);
    expect(store.calls.release).toBe(one + 1);
    expect(one, 'some had been read').toBeLessThanOrEqual(64);
    expect(store.reads()).toBeLessThanOrEqual(20 + one + 1_000);
    expect(others.every(({ status }) => status === 'succeeded')).toBe(true);
  });

  it('costs no attempts while its breaker is open, is probed by itself and loses nothing', async () => {
    const { dispatcher, give, application, pass, until, emittedOf, store } = given({ attempts: 2 });
    const rows = Array.from({ length: 40 }, (_, subject) => give('forward', subject));
    await dispatcher.start();
    await pass(600_000);
    expect(attemptsOf(rows), 'only those before the pause').toBe(20);
    expect(rows.some(({ status }) => status === 'dead')).toBe(false);
    expect(emittedOf('breaker.opened').map(({ openMs }) => openMs)).toEqual([
      1_000,
      2_000,
      4_000,
      8_000,
      16_000,
      32_000,
      ...Array<number>(emittedOf('breaker.opened').length - 6).fill(60_000),
    ]);
    expect(application.calls.length, 'one call a probe').toBe(20 + emittedOf('breaker.probing').length);

    application.up = true;
    await until(() => rows.every(({ status }) => status === 'succeeded'), 61_000);
    expect(emittedOf('breaker.closed')).toEqual([{ name: 'breaker.closed', handler: 'forward' }]);
    expect(dispatcher.status()).toMatchObject({ running: 0, openBreakers: [] });
    expect(store.rows.every(({ attempts }) => attempts <= 2)).toBe(true);
    await dispatcher.idle();
  });

  it('is probed with another subject each time, so that one bad event does not keep its breaker open', async () => {
    const { dispatcher, give, application, pass } = given();
    for (let subject = 0; subject < 6; subject += 1) give('forward', subject);
    await dispatcher.start();
    await pass(1_000);
    const before = application.calls.length;
    await pass(120_000);
    const probed = application.calls.slice(before);
    expect(new Set(probed.slice(0, 6)).size).toBe(6);
  });

  it('is probed first with deliveries that were never attempted', async () => {
    const { dispatcher, give, application, pass, emittedOf } = given();
    for (let subject = 0; subject < 20; subject += 1) give('forward', subject);
    application.answer = () => {
      if (application.calls.at(-1) !== 'healthy') throw new Error('bad');
    };
    application.up = true;
    await dispatcher.start();
    await pass(5_000);
    expect(emittedOf('breaker.closed')).toEqual([]);
    const healthy = give('forward', 'healthy');

    // The next probe. In due order it would be the twentieth.
    await pass(8_000);

    expect(healthy).toMatchObject({ status: 'succeeded', attempts: 1 });
  });

  it('gets no more than one delivery while a probe runs', async () => {
    const { dispatcher, give, application, pass, store, settle, emittedOf } = given({ concurrency: 8 });
    for (let subject = 0; subject < 40; subject += 1) give('forward', subject);
    await dispatcher.start();
    await pass(900);
    application.up = true;
    const { promise, resolve: finish } = Promise.withResolvers<void>();
    application.answer = () => promise;
    await pass(1_000);
    expect(emittedOf('breaker.probing')).toHaveLength(1);
    expect(dispatcher.status().running).toBe(1);
    expect(store.claims.at(-1)?.handlers).toEqual(['other']);
    application.answer = () => undefined;
    finish();
    await settle();
    expect(
      store.rows.every(({ status }) => status === 'succeeded'),
      'the rest follows at once',
    ).toBe(true);
  });

  it('waits as long again when a probe is asked to retry later', async () => {
    const { dispatcher, give, application, pass, emittedOf, store } = given();
    for (let subject = 0; subject < 20; subject += 1) give('forward', subject);
    await dispatcher.start();
    await pass(900);
    application.up = true;
    application.answer = () => RetryLater(10_000);
    await pass(5_000);
    expect(emittedOf('breaker.probing').length, 'one a pause').toBeLessThanOrEqual(6);
    expect(emittedOf('breaker.closed')).toEqual([]);
    application.answer = () => undefined;
    await pass(12_000);
    expect(store.rows.every(({ status }) => status === 'succeeded')).toBe(true);
  });

  it('releases deliveries that fail after the breaker opened, and those claimed just before', async () => {
    const failing: (() => void)[] = [];
    const handler = defineHandler({
      name: 'slow',
      on: '*',
      retry: { attempts: 3, baseMs: 10 },
      handle: () =>
        new Promise((_resolve, reject) =>
          failing.push(() => {
            reject(new Error('refused'));
          }),
        ),
    });
    const { dispatcher, give, settle, emittedOf, store } = setUp([handler], { concurrency: 30 });
    for (let subject = 0; subject < 30; subject += 1) give('slow', subject);
    await dispatcher.start();
    await settle();
    for (const fail of failing.splice(0)) fail();
    await settle();
    expect(emittedOf('delivery.retrying')).toHaveLength(20);
    expect(emittedOf('delivery.released')).toHaveLength(10);
    expect(store.rows.map(({ attempts }) => attempts)).toEqual([
      ...Array<number>(20).fill(1),
      ...Array<number>(10).fill(0),
    ]);
  });
});

describe('a handler that gives up on the events of all subjects', () => {
  /** An application that rejects events by their subject. */
  function givenRejecting(rejects: (subject: string) => boolean, concurrency = 16) {
    const application = { rejects, calls: [] as string[] };
    const handler = defineHandler({
      name: 'forward',
      on: '*',
      handle({ subject: { id } }) {
        application.calls.push(id);
        return application.rejects(id) ? GiveUp('responded with status 422') : undefined;
      },
    });
    return { ...setUp([handler], { concurrency, pollMs: 600_000 }), application };
  }
  const numberWith = (rows: readonly Row[], status: string): number =>
    rows.filter((row) => row.status === status).length;

  it('opens its breaker after five of a thousand events, and handles the others when it accepts them', async () => {
    const { dispatcher, give, application, pass, until, emittedOf } = givenRejecting(() => true);
    const rows = Array.from({ length: 1_000 }, (_, subject) => give('forward', subject));
    await dispatcher.start();
    await pass(24 * 3_600_000);

    expect(numberWith(rows, 'dead')).toBe(5);
    const waiting = rows.filter(({ status }) => status === 'pending');
    expect(waiting).toHaveLength(995);
    expect(attemptsOf(waiting), 'no attempt counts while it is open').toBe(0);
    expect(emittedOf('breaker.opened')[0]).toEqual(
      expect.objectContaining({
        handler: 'forward',
        openMs: 1_000,
        reason: 'gave up on events of 5 subjects in a row, the last time with: responded with status 422',
      }),
    );
    expect(dispatcher.status().openBreakers).toMatchObject([{ handler: 'forward' }]);

    application.rejects = () => false;
    await until(() => numberWith(rows, 'succeeded') === 995, 61_000);
    expect(emittedOf('breaker.closed')).toHaveLength(1);
    expect(dispatcher.status().openBreakers).toEqual([]);
  });

  it('gets prefetched events released too', async () => {
    const { dispatcher, give, pass, store } = givenRejecting(() => true);
    const { claim } = store;
    store.claim = (request) => claim({ ...request, prefetch: 4_096 });
    const rows = Array.from({ length: 1_000 }, (_, subject) => give('forward', subject));
    await dispatcher.start();
    await pass(900);
    expect(numberWith(rows, 'dead')).toBe(5);
    expect(numberWith(rows, 'pending')).toBe(995);
  });

  it('has its breaker closed by a new event that it accepts, ahead of a thousand that it rejects', async () => {
    const { dispatcher, give, pass, until } = givenRejecting((subject) => subject !== 'accepted');
    for (let subject = 0; subject < 1_000; subject += 1) give('forward', subject);
    await dispatcher.start();
    await pass(10_000);
    const accepted = give('forward', 'accepted');
    // It is the second probe from here on, after pauses of 8 s and 16 s.
    await until(() => accepted.status === 'succeeded', 30_000);
  });

  it('has its breaker closed within a few probes by another source, while one source keeps sending events that it rejects', async () => {
    const { dispatcher, give, pass, until } = givenRejecting((subject) => !subject.startsWith('accepted'));
    const from = (source: string, subject: string) =>
      give('forward', subject, {
        event: { ...companyEvent(1, subject), id: `sample-${source}-${subject}`, source },
      });
    const rejected = Array.from({ length: 100 }, (_, subject) => from('noisy', String(subject)));
    await dispatcher.start();
    await pass(900);
    expect(numberWith(rejected, 'dead')).toBe(5);

    // One event that is rejected, too, hides the accepted one at first.
    const accepted = from('quiet', 'accepted');
    from('quiet', 'rejected');
    for (let subject = 100; subject < 150; subject += 1) rejected.push(from('noisy', String(subject)));
    // Four probes, after pauses of 1, 2, 4 and 8 seconds.
    await until(() => accepted.status === 'succeeded', 15_000);
    await pass(900);
    expect(numberWith(rejected, 'dead'), 'five before the probe, five after it').toBe(10);

    const next = from('quiet', 'accepted again');
    await until(() => next.status === 'succeeded', 15_000);
  });

  it('keeps its breaker closed after one rejected event among others, and after many of one subject', async () => {
    const { dispatcher, give, until, emittedOf } = givenRejecting((subject) => subject === 'poison');
    const rows = Array.from({ length: 400 }, (_, number) =>
      give('forward', number % 4 === 0 ? 'poison' : number),
    );
    await dispatcher.start();
    await until(() => numberWith(rows, 'pending') + numberWith(rows, 'running') === 0);
    expect(numberWith(rows, 'dead')).toBe(100);
    expect(numberWith(rows, 'succeeded')).toBe(300);
    expect(emittedOf('breaker.opened')).toEqual([]);
  });

  it('loses at most five events in a row, and none that it accepts, whichever it rejects', async () => {
    const verdicts = fc.array(fc.boolean(), { minLength: 1, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(verdicts, fc.integer({ min: 1, max: 16 }), async (rejected, concurrency) => {
        const isRejected = (subject: string) => rejected[Number(subject)] === true;
        const { dispatcher, give, until, emitted } = givenRejecting(isRejected, concurrency);
        const rows = rejected.map((_, subject) => give('forward', subject));
        await dispatcher.start();
        const accepted = rejected.filter((no) => !no).length;
        await until(() => numberWith(rows, 'succeeded') === accepted, 4 * 3_600_000);
        await dispatcher.stop(0);

        // In the order of their ends: of events in flight together, one that is accepted may end first.
        let inARow = 0;
        for (const { name } of emitted) {
          if (name === 'delivery.succeeded') inARow = 0;
          if (name === 'delivery.dead') inARow += 1;
          expect(inARow).toBeLessThanOrEqual(5);
        }
        expect(attemptsOf(rows.filter(({ status }) => status === 'pending'))).toBe(0);
      }),
      { numRuns: 50 },
    );
  });
});

describe('the time for which a breaker is open', () => {
  it('ends exactly, independent of the poll interval', async () => {
    const { dispatcher, give, settle, pass, emittedOf, clock } = given({ pollMs: 600_000 });
    for (let subject = 0; subject < 20; subject += 1) give('forward', subject);
    await dispatcher.start();
    await settle();
    await settle();
    expect(emittedOf('breaker.opened')).toHaveLength(1);
    const [breaker] = dispatcher.status().openBreakers;
    await pass((breaker?.untilMs ?? 0) - clock.now() - 1);
    expect(emittedOf('breaker.probing')).toHaveLength(0);
    await pass(1);
    expect(emittedOf('breaker.probing')).toHaveLength(1);
  });

  it('lets no lane continue after a success', async () => {
    const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
    const handler = defineHandler({
      name: 'slow',
      on: '*',
      handle: () => new Promise<void>((resolve, reject) => ends.push({ resolve, reject })),
    });
    const { dispatcher, give, settle, store, emittedOf } = setUp([handler], { concurrency: 30 });
    for (let subject = 0; subject < 21; subject += 1) give('slow', subject);
    const behind = give('slow', 20);
    await dispatcher.start();
    await settle();
    for (const { reject } of ends.slice(0, 20)) reject(new Error('refused'));
    await settle();
    expect(emittedOf('breaker.opened')).toHaveLength(1);
    ends[20]?.resolve();
    await settle();
    expect(store.rows[20]?.status).toBe('succeeded');
    expect(behind).toMatchObject({ status: 'pending', attempts: 0 });
    expect(store.calls.release).toBe(0);
  });
});

describe('a handler that fails for one subject only', () => {
  it('never opens its breaker: events of that subject die and the others succeed', async () => {
    const handler = defineHandler({
      name: 'picky',
      on: '*',
      retry: { attempts: 30, baseMs: 10, maxMs: 10 },
      handle: (event) => {
        if (event.subject.id === '1') throw new Error('this one never works');
      },
    });
    const { dispatcher, give, until, emittedOf, store } = setUp([handler]);
    const bad = [give('picky', 1), give('picky', 1)];
    await dispatcher.start();
    await until(() => bad.every(({ status }) => status === 'dead'));
    for (let subject = 2; subject < 9; subject += 1) give('picky', subject);
    await until(() => store.rows.slice(2).every(({ status }) => status === 'succeeded'));
    expect(bad.map(({ attempts }) => attempts)).toEqual([30, 30]);
    expect(emittedOf('breaker.opened')).toEqual([]);
  });

  it('does not keep its breaker open', async () => {
    const application = { up: false };
    const handler = defineHandler({
      name: 'picky',
      on: '*',
      retry: { attempts: 3, baseMs: 10, maxMs: 10 },
      breaker: { failures: 6, subjects: 3 },
      handle: (event) => {
        if (!application.up || event.subject.id === '0') throw new Error('no');
      },
    });
    const { dispatcher, give, until, pass, store } = setUp([handler]);
    for (let subject = 0; subject < 6; subject += 1) give('picky', subject);
    await dispatcher.start();
    await pass(500);
    application.up = true;
    await until(() => store.rows.every(({ status }) => status === 'succeeded' || status === 'dead'), 10_000);
    expect(store.rows.map(({ status }) => status)).toEqual(['dead', ...Array<string>(5).fill('succeeded')]);
  });
});
