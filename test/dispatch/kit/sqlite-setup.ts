import {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from '../../../src/dispatch/dispatcher.ts';
import { createRegistry } from '../../../src/handle/load/registry.ts';
import type { Definition } from '../../../src/handle/define/definition.ts';
import { createIdentify } from '../../../src/identify/identify.ts';
import { parsedEvent } from '../../support/verified-delivery.ts';
import type { DeliveryRecord } from '../../../src/store/queries.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import type { ManualClock } from '../../../src/testing/manual-clock.ts';
import { sampleData } from '../../../src/testing/sample-data.ts';
import { seededRandom } from '../../../src/kernel/random.ts';
import { testContext } from '../../../src/testing/test-context.ts';
import { setUp } from './dispatch-setup.ts';
import { specification } from '../../../src/contract/specification.ts';

const identify = createIdentify(specification, (id) => id);

/** A dispatcher on a SQLite store in memory. */
export interface SqliteSetup {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly dispatcher: Dispatcher;
  /** Stores an event of a charge for every handler, and wakes the dispatcher. */
  receive(subject: number): Promise<string>;
  rows(): Promise<readonly DeliveryRecord[]>;
  settle(): Promise<void>;
  pass(ms: number): Promise<void>;
  /** Advances the clock until every delivery has ended. */
  finish(): Promise<void>;
  restart(): Dispatcher;
}

/** @param definitions handlers and machines, or a function of the setup's clock */
export async function setUpOnSqlite(
  definitions: readonly Definition[] | ((clock: () => ManualClock) => readonly Definition[]),
  options: Partial<DispatcherOptions> = {},
): Promise<SqliteSetup> {
  const { clock, settle, pass } = setUp([]);
  const random = seededRandom(3);
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', clock, random });
  const registry = createRegistry(typeof definitions === 'function' ? definitions(() => clock) : definitions);
  const create = (more: Partial<DispatcherOptions> = {}): Dispatcher =>
    createDispatcher({
      store,
      registry,
      clock,
      random,
      telemetry: { emit: () => undefined },
      log: testContext().log,
      concurrency: 4,
      ...options,
      ...more,
    });
  const dispatcher = create();
  let received = 0;

  const setup: SqliteSetup = {
    store,
    clock,
    dispatcher,
    settle,
    pass,
    async receive(subject) {
      received += 1;
      const data = { ...sampleData('charge.updated'), id: subject, code: `n${String(received)}` };
      const body = JSON.stringify({ type: 'charge.updated', data });
      const parsed = parsedEvent(body, { receivedAt: clock.now() });
      const stored = await store.accept(identify(parsed), registry.routesFor(parsed));
      dispatcher.wake();
      return stored.id;
    },
    rows: () => store.deliveries({}, { order: 'oldest', limit: 10_000 }),
    async finish() {
      for (let steps = 0; steps < 100_000; steps += 1) {
        await settle();
        const open = (await setup.rows()).filter(
          ({ status }) => status === 'pending' || status === 'running',
        );
        if (open.length === 0) return;
        clock.advance(clock.untilNext ?? 1);
      }
      throw new Error('deliveries never ended');
    },
    restart: create,
  };
  return setup;
}
