import { randomBytes } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { Random } from '../kernel/random.ts';
import { systemClock } from '../kernel/system-clock.ts';
import { brazilianDay } from './brazilian-day.ts';
import { openServiceDatabase } from './database/open-service-database.ts';
import { createListIds } from './list/list-ids.ts';
import type { Service } from './service.ts';

const SECRET_BYTES = 32;

export interface ServiceOptions {
  /** The service's own SQLite file, or `:memory:`. */
  readonly path: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly drawSecret?: () => string;
  /** Asked when an address is handed out: the port may be known late. */
  readonly baseUrl?: () => string;
}

/** @throws PortariaError `store-*` when the file cannot be used. */
export function openService(options: ServiceOptions): Service {
  const { clock = systemClock, random = Math.random } = options;
  const { sqlite, query } = openServiceDatabase(options.path);
  const listeners = new Set<() => void>();
  return {
    sqlite,
    query,
    lists: createListIds({ sqlite, query }),
    clock,
    machine: clock,
    random,
    drawSecret: options.drawSecret ?? (() => randomBytes(SECRET_BYTES).toString('base64url')),
    baseUrl: options.baseUrl ?? (() => 'http://localhost:4010'),
    async change(organization, work) {
      const result = await query.transaction().execute((transaction) => {
        const now = clock.now();
        return work({
          transaction,
          organization,
          at: new Date(now).toISOString(),
          today: brazilianDay(now),
        });
      });
      for (const listener of listeners) listener();
      return result;
    },
    onCommit(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    // Closes the file, too.
    close: () => query.destroy(),
  };
}
