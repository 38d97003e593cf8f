import { setImmediate as tick } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { createDispatcher, type Dispatcher } from '../../../src/dispatch/dispatcher.ts';
import { createRegistry } from '../../../src/handle/load/registry.ts';
import type { Handler } from '../../../src/handle/define/handler.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { manualClock, type ManualClock } from '../../../src/testing/manual-clock.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import { acceptBody } from './filled-store.ts';
import { chargeBody } from './senders/webhooks.ts';

/** A dispatcher on an in-memory store with many pending deliveries and a manual clock. */
export interface PendingDispatcher {
  readonly store: Store;
  readonly clock: ManualClock;
  dispatcher: Dispatcher;
  /** Stops the dispatcher, calls `meanwhile`, and starts another, as after a restart. */
  restart(meanwhile: () => void): Promise<void>;
  /**
   * Runs handlers until the condition holds. Advances the clock whenever nothing happens any more.
   *
   * @param progress returns a number that changes while something happens.
   */
  runUntil(condition: () => boolean, progress: () => number): Promise<void>;
}

/** Event loop ticks without progress before the clock advances. */
const QUIET_TICKS = 30;
/** A long poll interval: no other process enqueues deliveries here, and polls over hours would dominate. */
const POLL_MS = 60_000;

export async function openPendingDispatcher(options: {
  readonly handler: Handler;
  readonly subjects: number;
  readonly each: number;
  readonly seed: number;
}): Promise<PendingDispatcher> {
  const clock = manualClock();
  const random = seededRandom(options.seed);
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock, random });
  const registry = createRegistry([options.handler]);
  const create = (): Dispatcher =>
    createDispatcher({
      ...{ store, registry, clock, random, log: silentLogger, concurrency: 16, pollMs: POLL_MS },
      telemetry: { emit: () => undefined },
    });
  const routes = registry.definitions.map(
    ({ name }) => ({ handler: name, order: 'subject', stale: false }) as const,
  );
  for (let number = 1; number <= options.each; number += 1) {
    const bodies = Array.from({ length: options.subjects }, (_, subject) => chargeBody(subject, number));
    await Promise.all(bodies.map((body) => acceptBody(store, body, { routes, receivedAt: clock.now() })));
  }
  const fixture: PendingDispatcher = {
    store,
    clock,
    dispatcher: create(),
    async restart(meanwhile) {
      await fixture.dispatcher.stop(0);
      meanwhile();
      fixture.dispatcher = create();
      await fixture.dispatcher.start();
    },
    async runUntil(condition, progress) {
      let quiet = 0;
      for (let last = progress(); !condition(); last = progress()) {
        await tick();
        quiet = progress() === last ? quiet + 1 : 0;
        if (quiet < QUIET_TICKS) continue;
        clock.advance(clock.untilNext ?? POLL_MS);
        quiet = 0;
      }
    },
  };
  onTestFinished(async () => {
    await fixture.dispatcher.stop(0);
    await store.close();
  });
  await fixture.dispatcher.start();
  return fixture;
}
