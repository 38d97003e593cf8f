/** Dispatching from a real store, with crashes, restarts and a wall clock that jumps. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { eventNumber } from '../../src/handle/fold/event-number.ts';
import { RetryLater } from '../../src/handle/define/outcome.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { randomHandlers, violations } from './kit/lane-properties.ts';
import { setUpOnSqlite, type SqliteSetup } from './kit/sqlite-setup.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { createReplay } from '../support/replay-job.ts';

const opened: SqliteSetup[] = [];

afterEach(async () => {
  for (const { store } of opened.splice(0)) await store.close();
});

async function open(...options: Parameters<typeof setUpOnSqlite>): Promise<SqliteSetup> {
  const setup = await setUpOnSqlite(...options);
  opened.push(setup);
  return setup;
}

const arrivals = fc.array(fc.record({ subject: fc.nat(3), afterMs: fc.constantFrom(0, 0, 0, 7, 60) }), {
  minLength: 1,
  maxLength: 12,
});

describe('dispatching from SQLite', () => {
  it('keeps the rules of lanes for any arrivals and handler outcomes', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, fc.nat(1_000_000), async (events, seed) => {
        let handlers = randomHandlers(seed, manualClock);
        const setup = await open((clock) => (handlers = randomHandlers(seed, clock)).definitions, {
          random: seededRandom(seed),
        });
        await setup.dispatcher.start();
        for (const { subject, afterMs } of events) {
          await setup.pass(afterMs);
          await setup.receive(subject);
        }
        await setup.finish();
        await setup.pass(200);
        await setup.dispatcher.idle();
        await setup.dispatcher.stop(0);

        expect(violations(handlers.calls)).toEqual([]);
        const rows = await setup.rows();
        expect(rows).toHaveLength(events.length * 4);
        expect(rows.map(({ handler, status, attempts }) => ({ handler, status, attempts }))).toEqual(
          rows.map(({ handler, eventId }) => ({
            handler,
            ...handlers.expected(handler, eventNumber(eventId)),
          })),
        );
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it('ends in the same machine state with one effect per event after any restarts', async () => {
    const effects: string[] = [];
    const machine = defineMachine({
      name: 'codes',
      on: ['charge.created', 'charge.updated'],
      initial: { codes: [] as string[] },
      evolve: ({ codes }, event) => ({ codes: [...codes, String(event.data.code)] }),
      effects: {
        seen: {
          when: () => true,
          run: ({ after }) => void effects.push(after.codes.join()),
        },
      },
    });
    const setup = await open([machine]);
    for (let count = 0; count < 6; count += 1) await setup.receive(1);
    let { dispatcher } = setup;
    for (let restarts = 0; restarts < 3; restarts += 1) {
      await dispatcher.start();
      await dispatcher.stop(0);
      dispatcher = setup.restart();
    }
    await dispatcher.start();
    await setup.finish();
    const state = await setup.store.machineState('codes', 'default', { family: 'charge', id: '1' });
    expect(state?.state).toEqual({ codes: ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'] });
    expect(effects).toEqual([
      'n1',
      'n1,n2',
      'n1,n2,n3',
      'n1,n2,n3,n4',
      'n1,n2,n3,n4,n5',
      'n1,n2,n3,n4,n5,n6',
    ]);
    await dispatcher.stop(0);
  });

  it('runs interrupted deliveries again after a crash, and counts that attempt', async () => {
    const attempts: number[] = [];
    let hang = true;
    const handler = defineHandler({
      name: 'work',
      on: '*',
      retry: { attempts: 1 },
      handle: (_event, { attempt }) => {
        attempts.push(attempt);
        return hang ? new Promise(() => undefined) : undefined;
      },
    });
    const setup = await open([handler]);
    await setup.receive(1);
    await setup.dispatcher.start();
    await setup.settle();
    hang = false;
    // The first is abandoned as if killed, never stopped.
    const next = setup.restart();
    await next.start();
    await next.idle();
    expect(attempts).toEqual([1, 2]);
    expect((await setup.rows())[0]).toMatchObject({ status: 'succeeded', attempts: 2 });
    await next.stop(0);
  });

  it('does not stall when the wall clock is set back', async () => {
    let runs = 0;
    const handler = defineHandler({
      name: 'work',
      on: '*',
      retry: { attempts: 5, baseMs: 1_000 },
      handle: () => {
        runs += 1;
        if (runs === 1) return RetryLater(2_000);
        return undefined;
      },
    });
    const setup = await open([handler]);
    await setup.dispatcher.start();
    await setup.receive(1);
    await setup.settle();
    setup.clock.jump(-24 * 3_600_000);
    await setup.receive(2);
    await setup.receive(1);
    await setup.pass(10_000);
    expect((await setup.rows()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    await setup.dispatcher.stop(0);
  });

  it('continues at once when the wall clock is set forward', async () => {
    const handler = defineHandler({
      name: 'work',
      on: '*',
      handle: (_event, { attempt }) => (attempt === 1 ? RetryLater(3_600_000) : undefined),
    });
    const setup = await open([handler]);
    await setup.dispatcher.start();
    await setup.receive(1);
    await setup.settle();
    setup.clock.jump(3_600_000);
    await setup.pass(250);
    expect((await setup.rows())[0]?.status).toBe('succeeded');
    await setup.dispatcher.stop(0);
  });

  it('runs the deliveries of a replay in order, with replay set', async () => {
    const seen: string[] = [];
    const handler = defineHandler({
      name: 'work',
      on: '*',
      handle: (event, { replay, idempotencyKey }) => {
        seen.push(
          `${String(eventNumber(event.id))} ${String(replay)} ${idempotencyKey === `${event.id}/work` ? 'same key' : ''}`,
        );
      },
    });
    const setup = await open([handler]);
    const ids = [await setup.receive(1), await setup.receive(1)];
    await setup.dispatcher.start();
    await setup.dispatcher.idle();
    await setup.dispatcher.stop(0);
    seen.length = 0;
    const replay = await createReplay(setup.store, { handlers: ['work'] }, setup.clock.now());
    const route = { handler: 'work', order: 'subject', stale: false } as const;
    const deliveries = [{ route, events: ids.map(eventNumber) }];
    await setup.store.enqueueReplay(replay.id, deliveries, { cursor: ids[1] ?? '', now: setup.clock.now() });
    const next = setup.restart();
    await next.start();
    await next.idle();
    expect(seen).toEqual(['1 true same key', '2 true same key']);
    await next.stop(0);
  });

  it('probes a handler with another lane each time', async () => {
    const calls: string[] = [];
    const handler = defineHandler({
      name: 'down',
      on: '*',
      breaker: { failures: 4, subjects: 2 },
      retry: { attempts: 50, baseMs: 1 },
      handle: (event) => {
        calls.push(event.subject.id);
        throw new Error('refused');
      },
    });
    const setup = await open([handler]);
    for (let subject = 1; subject <= 4; subject += 1) await setup.receive(subject);
    await setup.dispatcher.start();
    await setup.pass(500);
    const before = calls.length;
    await setup.pass(16_000);
    expect(new Set(calls.slice(before, before + 4)).size).toBe(4);
    await setup.dispatcher.stop(0);
  });
});
