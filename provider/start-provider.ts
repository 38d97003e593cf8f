/** Starts a provider: database, port, webhooks and scenario. */
import type { Clock } from '../src/kernel/time/clock.ts';
import type { Logger } from '../src/kernel/logger.ts';
import type { Random } from '../src/kernel/random.ts';
import { serveFetchApp } from '../src/kernel/http/server/fetch-listener.ts';
import { listen } from '../src/kernel/http/server/listen.ts';
import { createControlApp } from './control/control-app.ts';
import { createProviderApp } from './http/provider-app.ts';
import { openProvider } from './open-provider.ts';
import { startScenario } from './scenario/start-scenario.ts';
import type { Chaos } from './webhooks/sending/send-delivery.ts';
import { startPruning } from './webhooks/outbox/prune-webhooks.ts';
import { startWebhookSender } from './webhooks/sending/webhook-sender.ts';
import { realpathSync } from 'node:fs';
import BetterSqlite3 from 'better-sqlite3';
import { PortariaError } from '../src/kernel/errors.ts';
import { acquireExclusiveLock } from '../src/kernel/files/exclusive-lock.ts';

/** Milliseconds that the body of a request may take to arrive. */
const BODY_TIMEOUT_MS = 20_000;
/** Milliseconds that responses in flight have to end when the provider stops. */
const GRACE_MS = 5_000;

export interface StartOptions {
  /** The provider's SQLite file, or `:memory:`. */
  readonly path: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Version of Portaria, for the OpenAPI document. */
  readonly version: string;
  /** Effects on webhooks and the API; none by default. */
  readonly chaos?: Chaos | undefined;
  /** Seed of the scenario. */
  readonly seed?: number;
  /** Whether programs on this machine may drive the provider by `/control`; false by default. */
  readonly control?: boolean;
  /** Milliseconds to keep delivered webhooks; null, the default, keeps them all. */
  readonly keepWebhooksMs?: number | null;
}

export interface RunningProvider {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts the whole provider: database, webhook sender, pruning, scenario, HTTP server.
 *
 * @throws PortariaError `store-*` when the file cannot be used or another provider runs on
 *   it; `misconfigured` when the address cannot be listened on.
 */
export async function startProvider(options: StartOptions): Promise<RunningProvider> {
  const { path, host, port, clock, random, log, version, chaos, seed } = options;
  let url = urlOf(host, port);
  const provider = openProvider({
    path,
    clock,
    random,
    baseUrl: () => url,
    onWarning: (warning) => {
      log.warn({}, warning);
    },
    ...(seed !== undefined && { seed }),
  });
  // Stopped in reverse order, also when a later part fails to start.
  const stops: (() => Promise<void>)[] = [() => provider.close()];
  const stop = async () => {
    provider.beginClosing();
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    // Before a webhook is sent or a step runs.
    const unlock = path === ':memory:' ? () => undefined : acquireRunningLock(path);
    stops.push(() => Promise.resolve(unlock()));
    const sender = await startWebhookSender(provider, { log, ...(chaos && { chaos }) });
    stops.push(() => sender.stop());
    const { keepWebhooksMs: keepMs = null } = options;
    if (keepMs !== null) {
      const pruning = startPruning(provider, { keepMs, log });
      stops.push(() => pruning.stop());
    }
    const scenario = startScenario(provider, log);
    stops.push(() => scenario.stop());
    const control =
      options.control === true
        ? createControlApp({ provider, scenario, sender }, { log, version })
        : undefined;
    const app = createProviderApp(provider, { log, version, control, chaos: () => sender.chaos() });
    const listener = await listen({
      ...{ handle: serveFetchApp(app), host, port, clock, log, bodyTimeoutMs: BODY_TIMEOUT_MS },
      settings: { host: '--host', port: '--port' },
    });
    stops.push(() => listener.close(GRACE_MS));
    url = urlOf(host, listener.port);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function urlOf(host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${String(port)}`;
}

/**
 * Locks a file for one running provider: two would send each webhook twice. Commands that
 * open the file for a moment do not need the lock.
 *
 * @param path an existing file.
 * @returns releases the lock.
 * @throws PortariaError `store-locked` when another provider runs on the file;
 *   `store-failed` when it cannot be locked for another reason.
 */
function acquireRunningLock(path: string): () => void {
  // Links to the file share its lock.
  const file = `${realpathSync(path)}.lock`;
  try {
    return acquireExclusiveLock(file);
  } catch (cause) {
    if (cause instanceof BetterSqlite3.SqliteError && cause.code.startsWith('SQLITE_BUSY'))
      throw new PortariaError(
        'store-locked',
        `${path} is in use by another running provider: stop it, or use another file (--database)`,
        { cause },
      );
    throw new PortariaError('store-failed', `${file} cannot be locked: check its permissions`, { cause });
  }
}
