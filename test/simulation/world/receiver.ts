/** Puts one process together, as `serve` does, without its ports. */
import { createPortaria, type Portaria } from '../../../src/compose.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { Client } from '../../../src/client/client.ts';
import type { Definition } from '../../../src/handle/define/definition.ts';
import { createIdentify } from '../../../src/identify/identify.ts';
import type { JobDeps } from '../../../src/jobs/job-deps.ts';
// Loaded now: they are imported when they are needed, and what a file takes to load is not simulated.
import '../../../src/jobs/run-job.ts';
import '../../../src/confirm/create-confirm.ts';
import '../../../src/confirm/find-changes.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { Random } from '../../../src/kernel/random.ts';
import type { Clock } from '../../../src/kernel/time/clock.ts';
import { createParse } from '../../../src/parse/parse.ts';
import { keepWithinRetention } from '../../../src/serving/keep-within-retention.ts';
import { keyedIds } from '../../../src/store/erased-content.ts';
import { SECRET } from '../actors/senders.ts';
import { REFUSED } from './settings.ts';

export interface Receiver extends JobDeps {
  readonly portaria: Portaria;
  /** Recovers and dispatches. */
  start(): Promise<void>;
  stop(graceMs: number): Promise<void>;
}

export interface ReceiverOptions {
  /** As `PORTARIA_DATABASE` has it. */
  readonly database: string;
  readonly handlers: readonly Definition[];
  readonly concurrency: number;
  readonly acceptsUnknown?: boolean;
  /** Of the provider's API, which resolves ambiguous events. */
  readonly client?: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onFatal: () => void;
}

export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const {
    database,
    handlers,
    concurrency,
    acceptsUnknown = false,
    client,
    clock,
    random,
    log,
    onFatal,
  } = options;
  const config = loadConfig(
    {
      PORTARIA_DATABASE: database,
      PORTARIA_LOG_LEVEL: 'error',
      PORTARIA_VERIFY: 'none',
      PORTARIA_SOURCES: JSON.stringify({ signed: { verify: 'standard', secrets: [SECRET] } }),
      PORTARIA_CONCURRENCY: String(concurrency),
      PORTARIA_ON_UNKNOWN_VALUE: acceptsUnknown ? 'accept' : 'quarantine',
      PORTARIA_FORWARD_GIVE_UP: String(REFUSED),
      PORTARIA_KEEP_EVENTS: '2d',
      PORTARIA_KEEP_QUARANTINE: '2d',
      PORTARIA_KEEP_DELIVERIES: '2d',
    },
    '/',
  );
  const portaria = await createPortaria({
    config,
    ...(client && { client }),
    handlers,
    clock,
    random,
    log,
    onFatal,
  });
  const { store, registry, dispatcher } = portaria;
  const { contract } = registry;
  const deps = { store, registry, clock, parse: createParse(contract, config.onUnknownValue) };
  const identify = createIdentify(contract, keyedIds(await store.erasureKey()));
  let stopRetention = (): Promise<void> => Promise.resolve();
  return {
    ...{ ...deps, identify, portaria },
    async start() {
      await dispatcher.start();
      const machines = registry.definitions.filter((definition) => definition.type === 'machine');
      const telemetry = { emit: () => undefined };
      stopRetention = keepWithinRetention({
        store,
        machines,
        clock,
        telemetry,
        keep: config.keep,
        leads: () => true,
      });
    },
    async stop(graceMs) {
      await stopRetention();
      await dispatcher.stop(graceMs);
      await store.close();
    },
  };
}
