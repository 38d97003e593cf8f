import { randomBytes } from 'node:crypto';
import type { Clock } from '../src/kernel/time/clock.ts';
import type { Random } from '../src/kernel/random/random.ts';
import { systemClock } from '../src/kernel/time/system-clock.ts';
import { brazilianDay } from './brazilian-day.ts';
import { createCertificateOpener } from './companies/certificate-opener.ts';
import { openProviderDatabase } from './database/open-provider-database.ts';
import type { Touched } from './change.ts';
import { movableClock } from './movable-clock.ts';
import { openScenarioClock } from './scenario/scenario-clock.ts';
import { createOrganizationSlots } from './organization-slots.ts';
import type { Provider } from './provider.ts';
import { prepareWebhookWriting } from './webhooks/write-webhook.ts';

const SECRET_BYTES = 32;

/** One is opened, and one waits: a single thread opens those of all organizations. */
export const MAX_OPENINGS = 2;

/** Each is told of every commit that moves an import on, and asks the database then. */
export const MAX_STREAMS = 100;

export interface ProviderOptions {
  /** The provider's own SQLite file, or `:memory:`. */
  readonly path: string;
  /** The machine's, which the provider's runs by. */
  readonly clock?: Clock;
  readonly random?: Random;
  /** Of what goes on by itself: the same seed, the same life. */
  readonly seed?: number;
  readonly drawSecret?: () => string;
  /** Called once when other users could open the file, with what has become of that. */
  readonly onWarning?: (warning: string) => void;
  /** Asked when an address is handed out: the port may be known late. */
  readonly baseUrl?: () => string;
}

/** @throws PortariaError `store-*` when the file cannot be used. */
export function openProvider(options: ProviderOptions): Provider {
  const { clock: machine = systemClock, random = Math.random, seed = 1 } = options;
  const { sqlite, query } = openProviderDatabase(options.path, options.onWarning);
  const kept = openScenarioClock(sqlite);
  const clock = movableClock(machine, kept.ahead);
  const certificates = createCertificateOpener();
  const writeWebhook = prepareWebhookWriting(sqlite);
  const committed = new Set<(touched: ReadonlySet<Touched>) => void>();
  const advanced = new Set<(ms: number) => void>();
  const closing = new Set<() => void>();
  let isClosing = false;
  return {
    sqlite,
    query,
    certificates,
    openings: createOrganizationSlots({
      max: MAX_OPENINGS,
      what: 'certificates to open',
      retryAfterSeconds: 2,
    }),
    streams: createOrganizationSlots({
      max: MAX_STREAMS,
      what: 'synchronization streams',
      retryAfterSeconds: 10,
    }),
    clock,
    machine,
    random,
    drawSecret: options.drawSecret ?? (() => randomBytes(SECRET_BYTES).toString('base64url')),
    baseUrl: options.baseUrl ?? (() => 'http://localhost:4010'),
    async change(organization, work) {
      const touched = new Set<Touched>();
      const result = await query.transaction().execute((transaction) => {
        const now = clock.now();
        return work({
          transaction,
          organization,
          at: new Date(now).toISOString(),
          // Few ask for it, and calendars are slow.
          get today() {
            return brazilianDay(now);
          },
          isTold: true,
          seed,
          writeWebhook,
          touched,
        });
      });
      for (const listener of committed) listener(touched);
      return result;
    },
    onCommit: (listener) => adding(committed, listener),
    onAdvance: (listener) => adding(advanced, listener),
    onClosing(listener) {
      if (isClosing) listener();
      return adding(closing, listener);
    },
    beginClosing() {
      isClosing = true;
      for (const listener of closing) listener();
    },
    advanceClock: (ms) =>
      // In turn with transactions, which share the connection.
      query.connection().execute(async () => {
        kept.keep(clock.ahead + ms);
        clock.advance(ms);
        for (const listener of advanced) listener(ms);
      }),
    async close() {
      await certificates.close();
      // Closes the file, too.
      await query.destroy();
    },
  };
}

function adding<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
