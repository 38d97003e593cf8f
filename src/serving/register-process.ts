/** Records the running process in the store. */
import type { Registry } from '../handle/load/registry.ts';
import { knownDefinitionsOf } from '../handle/load/known-definitions.ts';
import { recordedDeliveryNames, recordedHandler } from '../handle/load/recorded-handler.ts';
import type { Random } from '../kernel/random.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import type { HandlerProcess, Processes } from '../store/processes.ts';

/** Milliseconds after which a failed write of the record is repeated. */
const RETRY_AFTER_MS = 30_000;

export interface RegisterProcessOptions {
  readonly store: Pick<Processes, 'registerProcess' | 'unregisterProcess'>;
  readonly registry: Pick<Registry, 'definitions' | 'contract'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly about: Pick<HandlerProcess, 'host' | 'pid' | 'version'>;
}

/** The record of this process in the store. */
export interface ProcessRecord {
  /** Writes the record. Never rejects: a failed write is repeated once, 30 s later. */
  write(): Promise<void>;
  /** Removes the record. Never rejects: the next process that opens the store removes it, too. */
  remove(): Promise<void>;
}

export function createProcessRecord(options: RegisterProcessOptions): ProcessRecord {
  const { store, registry, clock, random, about } = options;
  let process: HandlerProcess | undefined;
  let writing: Promise<void> = Promise.resolve();
  let cancelRetry: Cancel = () => undefined;
  let removed = false;

  async function register(started: HandlerProcess, onFailure: () => void): Promise<void> {
    try {
      await store.registerProcess(started, knownDefinitionsOf(registry.contract));
    } catch {
      if (!removed) onFailure();
    }
  }

  function retryLater(started: HandlerProcess): void {
    cancelRetry = clock.after(RETRY_AFTER_MS, () => {
      writing = register(started, () => undefined);
    });
  }

  return {
    write() {
      if (removed || process !== undefined) return writing;
      const started: HandlerProcess = {
        id: Math.floor(random() * 2 ** 48).toString(36),
        ...about,
        startedAt: clock.now(),
        handlers: registry.definitions.map(recordedHandler),
      };
      process = started;
      writing = register(started, () => {
        retryLater(started);
      });
      return writing;
    },
    async remove() {
      removed = true;
      cancelRetry();
      await writing;
      if (process !== undefined) await store.unregisterProcess(process.id).catch(() => undefined);
    },
  };
}

/** Returns the names of the handlers of all processes: one of a newer version may have some that this process lacks. */
export async function handledNames(
  store: Pick<Processes, 'processes'>,
  { deliveryNames }: Pick<Registry, 'deliveryNames'>,
): Promise<readonly string[]> {
  const processes = await store.processes().catch(() => []);
  return [...deliveryNames, ...processes.flatMap(({ handlers }) => recordedDeliveryNames(handlers))];
}
