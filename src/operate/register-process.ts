import type { Registry } from '../handle/load/registry.ts';
import { recordedHandler } from '../handle/load/recorded-handler.ts';
import type { Random } from '../kernel/random.ts';
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import { REGISTER_EVERY_MS, type HandlerProcess, type Processes } from '../store/processes.ts';

export interface RegisterProcessOptions {
  readonly store: Pick<Processes, 'registerProcess' | 'unregisterProcess'>;
  readonly registry: Pick<Registry, 'definitions'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly about: Pick<HandlerProcess, 'host' | 'pid' | 'version'>;
}

/** The record of this process in the store. */
export interface ProcessRecord {
  /** Records this process, and renews the record until `remove`. Never rejects: a later renewal records it. */
  keep(): Promise<void>;
  /** Removes the record. Never rejects: the next process that opens the store removes it, too. */
  remove(): Promise<void>;
}

export function createProcessRecord(options: RegisterProcessOptions): ProcessRecord {
  const { store, registry, clock, random, about } = options;
  let process: HandlerProcess | undefined;
  let writing: Promise<void> = Promise.resolve();
  let cancel: Cancel = () => undefined;
  let removed = false;

  function renew(): Promise<void> {
    if (removed || process === undefined) return writing;
    cancel = clock.after(REGISTER_EVERY_MS, () => void renew());
    return (writing = store.registerProcess(process, clock.now()).catch(() => undefined));
  }

  return {
    keep() {
      if (removed || process !== undefined) return writing;
      process = {
        id: Math.floor(random() * 2 ** 48).toString(36),
        ...about,
        startedAt: clock.now(),
        handlers: registry.definitions.map(recordedHandler),
      };
      return renew();
    },
    async remove() {
      removed = true;
      cancel();
      await writing;
      if (process !== undefined) await store.unregisterProcess(process.id).catch(() => undefined);
    },
  };
}
