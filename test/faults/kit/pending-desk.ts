import { setImmediate as turn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createDispatcher, type Dispatcher } from '../../../src/dispatch/dispatcher.ts';
import { createRegistry } from '../../../src/handle/load/registry.ts';
import type { Handler } from '../../../src/handle/define/handler.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { manualClock, type ManualClock } from '../../../src/testing/manual-clock.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import { acceptBody } from './filled-store.ts';
import { chargeBody } from './webhooks.ts';

/** A dispatcher on a store that is full of pending deliveries, with a clock that is moved by hand. */
export interface PendingDesk {
  readonly store: Store;
  readonly clock: ManualClock;
  dispatcher: Dispatcher;
  /** Stops the dispatcher, tells `meanwhile`, and starts another, as after a restart. */
  restart(meanwhile: () => void): Promise<void>;
  /**
   * Lets handlers run and, whenever nothing happens any more, time pass, until
   * the condition holds.
   *
   * @param progress any number that changes while something happens
   */
  runUntil(condition: () => boolean, progress: () => number): Promise<void>;
}

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

/** Turns of the event loop in which nothing happens before time passes. */
const QUIET_TURNS = 30;
/** Nothing in these tests is enqueued by others, and hours of looking for it would be most of the work. */
const POLL_MS = 60_000;

export async function openPendingDesk(options: {
  readonly handler: Handler;
  readonly subjects: number;
  readonly each: number;
  readonly seed: number;
}): Promise<PendingDesk> {
  const clock = manualClock();
  const random = seededRandom(options.seed);
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock, random });
  const registry = createRegistry([options.handler]);
  const create = (): Dispatcher =>
    createDispatcher({
      ...{ store, registry, clock, random, log: silent, concurrency: 16, pollMs: POLL_MS },
      telemetry: { emit: () => undefined },
    });
  const routes = registry.definitions.map(
    ({ name }) => ({ handler: name, order: 'subject', stale: false }) as const,
  );
  for (let number = 1; number <= options.each; number += 1) {
    const bodies = Array.from({ length: options.subjects }, (_, subject) => chargeBody(subject, number));
    await Promise.all(bodies.map((body) => acceptBody(store, body, { routes, receivedAt: clock.now() })));
  }
  const desk: PendingDesk = {
    store,
    clock,
    dispatcher: create(),
    async restart(meanwhile) {
      await desk.dispatcher.stop(0);
      meanwhile();
      desk.dispatcher = create();
      await desk.dispatcher.start();
    },
    async runUntil(condition, progress) {
      let quiet = 0;
      for (let last = progress(); !condition(); last = progress()) {
        await turn();
        quiet = progress() === last ? quiet + 1 : 0;
        if (quiet < QUIET_TURNS) continue;
        clock.advance(clock.untilNext ?? POLL_MS);
        quiet = 0;
      }
    },
  };
  onTestFinished(async () => {
    await desk.dispatcher.stop(0);
    await store.close();
  });
  await desk.dispatcher.start();
  return desk;
}
