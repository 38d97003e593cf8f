import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { eventNumber } from '../../src/handle/fold/event-number.ts';
import type { ManualClock } from '../../src/testing/manual-clock.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { companyEvent, setUp } from './kit/dispatch-setup.ts';
import { handlerNames, randomHandlers, violations } from './kit/lane-properties.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** Webhooks of a few subjects, milliseconds apart. */
const arrivals = fc.array(fc.record({ subject: fc.nat(3), afterMs: fc.constantFrom(0, 0, 0, 7, 60) }), {
  minLength: 1,
  maxLength: 15,
});
const seed = fc.nat(1_000_000);
const concurrency = fc.integer({ min: 1, max: 6 });

describe('lanes, for any arrivals and handler outcomes', () => {
  it('never overlap, never reorder, and end each delivery as its attempts require', async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, seed, concurrency, async (events, seed, concurrency) => {
        let clock: ManualClock | undefined;
        const handlers = randomHandlers(seed, () => clock as ManualClock);
        const setup = setUp(handlers.definitions, { concurrency, random: seededRandom(seed) });
        clock = setup.clock;
        await setup.dispatcher.start();
        for (const [index, { subject, afterMs }] of events.entries()) {
          await setup.pass(afterMs);
          const event = companyEvent(index + 1, String(subject));
          for (const [handler, order] of Object.entries(handlerNames))
            setup.store.enqueue({ handler, order, event });
          setup.dispatcher.wake();
        }
        const ended = (): boolean =>
          setup.store.rows.every(({ status }) => !['pending', 'running'].includes(status));
        await setup.until(ended, 1_000_000);
        await setup.pass(200);

        expect(violations(handlers.calls)).toEqual([]);
        const { rows } = setup.store;
        expect(rows.map(({ handler, status, attempts }) => ({ handler, status, attempts }))).toEqual(
          rows.map(({ handler, event }) => ({
            handler,
            ...handlers.expected(handler, eventNumber(event.id)),
          })),
        );
      }),
      { numRuns: propertyRuns(40) },
    );
  });

  it('keep all deliveries and their order through an outage and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(
        arrivals,
        seed,
        fc.integer({ min: 100, max: 3_000 }),
        fc.array(fc.integer({ min: 1, max: 2_000 }), { maxLength: 4 }),
        async (events, seed, upAfterMs, restarts) => {
          const done: string[] = [];
          const handler = defineHandler({
            name: 'forward',
            on: '*',
            retry: { attempts: 60, baseMs: 50, maxMs: 500 },
            breaker: { failures: 5, subjects: 2 },
            async handle(event) {
              await new Promise<void>((resolve) => setup.clock.after(5, resolve));
              if (setup.clock.monotonic() < upAfterMs) throw new Error('down');
              done.push(event.id);
            },
          });
          const setup = setUp([handler], { random: seededRandom(seed) });
          for (const { subject } of events) setup.give('forward', subject);
          let { dispatcher } = setup;
          await dispatcher.start();
          for (const afterMs of restarts) {
            await setup.pass(afterMs);
            await dispatcher.stop(0);
            dispatcher = setup.restart();
            await dispatcher.start();
          }
          await setup.until(() => setup.store.rows.every(({ status }) => status === 'succeeded'), 200_000);
          await dispatcher.stop(0);

          for (const { event } of setup.store.rows) {
            const ofSubject = setup.store.rows.filter((row) => row.event.subject.id === event.subject.id);
            const ids = new Set(ofSubject.map((row) => row.event.id));
            // A run released at a restart may end beside the next one.
            const firsts = [...new Set(done)].filter((id) => ids.has(id));
            expect(firsts).toEqual([...ids]);
          }
        },
      ),
      { numRuns: propertyRuns(40) },
    );
  });
});
