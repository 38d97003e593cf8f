import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { eventNumber } from '../../src/handle/fold/event-number.ts';
import { RetryLater } from '../../src/handle/define/outcome.ts';
import { manualClock } from '../../src/testing/manual-clock.ts';
import { seededRandom } from '../../src/kernel/random/seeded-random.ts';
import { laneWorld, violations } from './kit/lane-world.ts';
import { openSqliteDesk, type SqliteDesk } from './kit/sqlite-desk.ts';

const opened: SqliteDesk[] = [];

afterEach(async () => {
  for (const { store } of opened.splice(0)) await store.close();
});

async function open(...options: Parameters<typeof openSqliteDesk>): Promise<SqliteDesk> {
  const desk = await openSqliteDesk(...options);
  opened.push(desk);
  return desk;
}

const arrivals = fc.array(fc.record({ subject: fc.nat(3), afterMs: fc.constantFrom(0, 0, 0, 7, 60) }), {
  minLength: 1,
  maxLength: 12,
});

describe('dispatching from SQLite', () => {
  it(
    'keeps the rules of lanes, whatever arrives when and however handlers fare',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(arrivals, fc.nat(1_000_000), async (events, seed) => {
          let world = laneWorld(seed, manualClock);
          const desk = await open((clock) => (world = laneWorld(seed, clock)).definitions, {
            random: seededRandom(seed),
          });
          await desk.dispatcher.start();
          for (const { subject, afterMs } of events) {
            await desk.pass(afterMs);
            await desk.receive(subject);
          }
          await desk.finish();
          await desk.pass(200);
          await desk.dispatcher.idle();
          await desk.dispatcher.stop(0);

          expect(violations(world.calls)).toEqual([]);
          const rows = await desk.rows();
          expect(rows).toHaveLength(events.length * 4);
          expect(rows.map(({ handler, status, attempts }) => ({ handler, status, attempts }))).toEqual(
            rows.map(({ handler, eventId }) => ({
              handler,
              ...world.expected(handler, eventNumber(eventId)),
            })),
          );
        }),
        { numRuns: 20 },
      );
    },
  );

  it('ends in the same machine state and one effect an event, however often it is restarted', async () => {
    const effects: string[] = [];
    const machine = defineMachine({
      name: 'codes',
      on: 'charge.*',
      initial: { codes: [] as string[] },
      evolve: ({ codes }, event) => ({ codes: [...codes, String(event.data.code)] }),
      effects: {
        seen: {
          when: () => true,
          run: ({ after }) => void effects.push(after.codes.join()),
        },
      },
    });
    const desk = await open([machine]);
    for (let count = 0; count < 6; count += 1) await desk.receive(1);
    let { dispatcher } = desk;
    for (let restarts = 0; restarts < 3; restarts += 1) {
      await dispatcher.start();
      await dispatcher.stop(0);
      dispatcher = desk.restart();
    }
    await dispatcher.start();
    await desk.finish();
    const state = await desk.store.machineState('codes', 'default', { family: 'charge', id: '1' });
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

  it('runs again after a crash what was running, and counts that try', async () => {
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
    const desk = await open([handler]);
    await desk.receive(1);
    await desk.dispatcher.start();
    await desk.settle();
    hang = false;
    // As if the first had been killed: it is left behind, never stopped.
    const next = desk.restart();
    await next.start();
    await next.idle();
    expect(attempts).toEqual([1, 2]);
    expect((await desk.rows())[0]).toMatchObject({ status: 'succeeded', attempts: 2 });
    await next.stop(0);
  });

  it('does not stand still when the wall clock is set back', async () => {
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
    const desk = await open([handler]);
    await desk.dispatcher.start();
    await desk.receive(1);
    await desk.settle();
    desk.clock.jump(-24 * 3_600_000);
    await desk.receive(2);
    await desk.receive(1);
    await desk.pass(10_000);
    expect((await desk.rows()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    await desk.dispatcher.stop(0);
  });

  it('goes on at once when the wall clock is set forward', async () => {
    const handler = defineHandler({
      name: 'work',
      on: '*',
      handle: (_event, { attempt }) => (attempt === 1 ? RetryLater(3_600_000) : undefined),
    });
    const desk = await open([handler]);
    await desk.dispatcher.start();
    await desk.receive(1);
    await desk.settle();
    desk.clock.jump(3_600_000);
    await desk.pass(250);
    expect((await desk.rows())[0]?.status).toBe('succeeded');
    await desk.dispatcher.stop(0);
  });

  it('runs the deliveries of a replay alone, in order, with replay set', async () => {
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
    const desk = await open([handler]);
    const ids = [await desk.receive(1), await desk.receive(1)];
    await desk.dispatcher.start();
    await desk.dispatcher.idle();
    await desk.dispatcher.stop(0);
    seen.length = 0;
    const replay = await desk.store.createReplay(
      { filter: {}, handlers: ['work'], ifNotSucceeded: false, target: null },
      desk.clock.now(),
    );
    const route = { handler: 'work', order: 'subject', stale: false } as const;
    const deliveries = [{ route, events: ids.map(eventNumber) }];
    await desk.store.enqueueReplay(replay.id, deliveries, { cursor: ids[1] ?? '', now: desk.clock.now() });
    await desk.receive(2);
    const only = desk.restart({ replay: replay.id });
    await only.start();
    await only.idle();
    expect(seen).toEqual(['1 true same key', '2 true same key']);
    expect(
      (await desk.rows()).map(({ status }) => status).filter((status) => status === 'pending'),
    ).toHaveLength(1);
    await only.stop(0);
  });

  it('probes a paused handler with another lane each time', async () => {
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
    const desk = await open([handler]);
    for (let subject = 1; subject <= 4; subject += 1) await desk.receive(subject);
    await desk.dispatcher.start();
    await desk.pass(500);
    const before = calls.length;
    await desk.pass(16_000);
    expect(new Set(calls.slice(before, before + 4)).size).toBe(4);
    await desk.dispatcher.stop(0);
  });
});
