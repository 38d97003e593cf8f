/** Records the running process in the store. */
import type { Registry } from '../handle/load/registry.ts';
import { knownDefinitionsOf } from '../handle/load/known-definitions.ts';
import { recordedDeliveryNames, recordedHandler } from '../handle/load/recorded-handler.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
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
  readonly log: Pick<Logger, 'warn'>;
  readonly about: Pick<HandlerProcess, 'host' | 'pid' | 'version'>;
}

/** The record of this process in the store. */
export interface ProcessRecord {
  /** Writes the record. Never rejects: a failed write is logged, and repeated every 30 s. */
  write(): Promise<void>;
  /** Removes the record. Never rejects: the next process that opens the store removes it, too. */
  remove(): Promise<void>;
}

export function createProcessRecord(options: RegisterProcessOptions): ProcessRecord {
  const { store, registry, clock, random, log, about } = options;
  let process: HandlerProcess | undefined;
  let writing: Promise<void> = Promise.resolve();
  let cancelRetry: Cancel = () => undefined;
  let removed = false;
  let warned: string | undefined;

  async function register(started: HandlerProcess): Promise<void> {
    try {
      await store.registerProcess(started, knownDefinitionsOf(registry.contract, registry.definitions));
    } catch (error) {
      if (removed) return;
      warn(failureReason(error));
      cancelRetry = clock.after(RETRY_AFTER_MS, () => {
        writing = register(started);
      });
    }
  }

  /** Each reason once: a full disk would fill the log. */
  function warn(reason: string): void {
    if (reason === warned) return;
    warned = reason;
    log.warn({ reason }, 'this process is not recorded in the store, so that others do not list it');
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
      writing = register(started);
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
