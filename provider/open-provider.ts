/** Opens a provider without a port: its database, files and clock. */
import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../src/kernel/time/clock.ts';
import type { Random } from '../src/kernel/random.ts';
import { brazilianDay } from './brazilian-day.ts';
import { openProviderDatabase } from './database/open-provider-database.ts';
import type { Touched } from './change.ts';
import { createOrganizationLimit } from './organization-limit.ts';
import type { Provider } from './provider.ts';
import { openSavedClock } from './saved-clock.ts';
import { prepareWebhookWriting } from './webhooks/write-webhook.ts';

const SECRET_BYTES = 32;

/** Maximum number of certificates that an organization opens at a time. Each has a thread. */
export const MAX_OPENINGS = 2;

/** Maximum number of streams of an organization. Each reads the database after every step of an import. */
export const MAX_STREAMS = 100;

export interface ProviderOptions {
  /** The provider's SQLite file, or `:memory:`, or the bytes of a database, which stays in memory. */
  readonly path: string | Buffer;
  /** The machine's clock. The provider's own runs at an offset to it. */
  readonly clock?: Clock;
  readonly random?: Random;
  /** Seed of the scenario: the same seed and the same requests have the same results. */
  readonly seed?: number;
  readonly createSecret?: () => string;
  /** Called once when other users could read the file. */
  readonly onWarning?: (warning: string) => void;
  /** Called for each URL that is handed out: the port may be known late. */
  readonly baseUrl?: () => string;
}

/**
 * Opens a provider on its database, without listening, sending or running the scenario.
 *
 * @throws PortariaError `store-*` when the file cannot be used.
 */
export function openProvider(options: ProviderOptions): Provider {
  const { clock: machine = systemClock, random = Math.random, seed = 1 } = options;
  const { sqlite, query } = openProviderDatabase(options.path, options.onWarning);
  // Transactions share the connection.
  const exclusively = (work: () => void): Promise<void> => query.connection().execute(async () => work());
  const saved = openSavedClock(sqlite, machine, exclusively);
  const { clock } = saved;
  const writeWebhook = prepareWebhookWriting(sqlite);
  const commitListeners = new Set<(touched: ReadonlySet<Touched>) => void>();
  const closingListeners = new Set<() => void>();
  let isClosing = false;
  let isClosed = false;
  return {
    sqlite,
    query,
    openings: createOrganizationLimit({
      max: MAX_OPENINGS,
      what: 'certificates to open',
      retryAfterSeconds: 2,
    }),
    streams: createOrganizationLimit({
      max: MAX_STREAMS,
      what: 'synchronization streams',
      retryAfterSeconds: 10,
    }),
    clock,
    machine,
    random,
    createSecret: options.createSecret ?? (() => randomBytes(SECRET_BYTES).toString('base64url')),
    baseUrl: options.baseUrl ?? (() => 'http://localhost:4010'),
    async change(organization, work) {
      const touched = new Set<Touched>();
      const result = await query.transaction().execute((transaction) => {
        const now = clock.now();
        return work({
          transaction,
          organization,
          at: new Date(now).toISOString(),
          // Lazily: few changes read it, and time zones are slow.
          get today() {
            return brazilianDay(now);
          },
          emitsWebhooks: true,
          seed,
          writeWebhook,
          touched,
        });
      });
      for (const listener of commitListeners) listener(touched);
      return result;
    },
    onCommit: (listener) => subscribe(commitListeners, listener),
    onClosing(listener) {
      if (isClosing) listener();
      return subscribe(closingListeners, listener);
    },
    beginClosing() {
      isClosing = true;
      for (const listener of closingListeners) listener();
    },
    advanceClock: (ms) =>
      exclusively(() => {
        saved.advance(ms);
      }),
    setClockSpeed: (speed) =>
      exclusively(() => {
        saved.setSpeed(speed);
      }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await exclusively(() => {
        saved.close();
      });
      await query.destroy();
    },
  };
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
