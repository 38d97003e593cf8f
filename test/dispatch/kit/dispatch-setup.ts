import { setImmediate as nextTick } from 'node:timers/promises';
import type { EventKind } from '../../../src/contract/catalogue.ts';
import {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from '../../../src/dispatch/dispatcher.ts';
import type { StoredEvent } from '../../../src/event/stored-event.ts';
import { createRegistry } from '../../../src/handle/load/registry.ts';
import type { Definition } from '../../../src/handle/define/definition.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { TelemetryEvents, TelemetryName } from '../../../src/telemetry/telemetry.ts';
import { manualClock, type ManualClock } from '../../../src/testing/manual-clock.ts';
import { memoryLanes, type Enqueued, type MemoryLanes, type Row } from './memory-lanes.ts';

export type Emitted = { [N in TelemetryName]: { readonly name: N } & TelemetryEvents[N] }[TelemetryName];

export interface DispatchSetup {
  readonly clock: ManualClock;
  readonly store: MemoryLanes;
  readonly dispatcher: Dispatcher;
  /** All emitted telemetry, in order. */
  readonly emitted: readonly Emitted[];
  /** The emitted telemetry of one name. */
  emittedOf<N extends TelemetryName>(name: N): readonly TelemetryEvents[N][];
  readonly logged: readonly { readonly level: string; readonly fields: object; readonly message: string }[];
  /** A delivery of a company's event; each call makes a new event. */
  give(handler: string, subject?: string | number, options?: Partial<Enqueued>): Row;
  /** Runs everything that needs no timer. */
  settle(): Promise<void>;
  /** Advances the clock, running each timer on the way. */
  pass(ms: number): Promise<void>;
  /** Advances the clock until the condition holds; fails after `maxMs`. */
  until(condition: () => boolean, maxMs?: number): Promise<void>;
  /** Another dispatcher on the same store, as after a restart. */
  restart(): Dispatcher;
}

export function setUp(
  definitions: readonly Definition[],
  options: Partial<DispatcherOptions> = {},
): DispatchSetup {
  const clock = manualClock();
  const store = memoryLanes(() => clock.now());
  const emitted: Emitted[] = [];
  const logged: { level: string; fields: object; message: string }[] = [];
  const create = (more: Partial<DispatcherOptions> = {}): Dispatcher =>
    createDispatcher({
      store,
      registry: createRegistry(definitions),
      clock,
      random: () => 0.5,
      telemetry: { emit: (name, fields) => void emitted.push({ name, ...fields } as Emitted) },
      log: recorder(logged, {}),
      concurrency: 4,
      ...options,
      ...more,
    });

  const setup: DispatchSetup = {
    clock,
    store,
    dispatcher: create(),
    emitted,
    logged,
    emittedOf: (name) => emitted.filter((one) => one.name === name) as never,
    give: (handler, subject = 1, more = {}) =>
      store.enqueue({ handler, event: companyEvent(store.rows.length + 1, String(subject)), ...more }),
    async settle() {
      // More ticks than any chain of steps without a timer needs.
      for (let ticks = 0; ticks < 40; ticks += 1) await nextTick();
    },
    async pass(ms) {
      const end = clock.monotonic() + ms;
      await setup.settle();
      while (clock.monotonic() < end) {
        clock.advance(Math.min(clock.untilNext ?? Infinity, end - clock.monotonic()));
        await setup.settle();
      }
    },
    async until(condition, maxMs = 3_600_000) {
      const end = clock.monotonic() + maxMs;
      for (await setup.settle(); !condition(); await setup.settle()) {
        if (clock.untilNext === null || clock.monotonic() + clock.untilNext > end) {
          throw new Error('the condition never held');
        }
        clock.advance(clock.untilNext);
      }
    },
    restart: create,
  };
  return setup;
}

export function companyEvent(
  number: number,
  subject: string,
  kind: EventKind = 'company.updated',
): StoredEvent {
  return {
    id: `sample-${String(number)}`,
    kind,
    recognized: true,
    source: 'default',
    subject: { family: 'company', id: subject },
    verdict: 'new',
    flags: [],
    version: null,
    receivedAt: Date.UTC(2026, 0, 1),
    repeats: 0,
    lastRepeatAt: null,
    messageId: null,
    messageIdTrusted: false,
    data: { id: 1, secret: 'personal' },
  };
}

function recorder(logged: { level: string; fields: object; message: string }[], inherited: object): Logger {
  const at = (level: string) => (fields: object, message: string) => {
    logged.push({ level, fields: { ...inherited, ...fields }, message });
  };
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => recorder(logged, { ...inherited, ...fields }),
  };
}
