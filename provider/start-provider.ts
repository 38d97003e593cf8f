import type { Clock } from '../src/kernel/time/clock.ts';
import type { Logger } from '../src/kernel/logger.ts';
import type { Random } from '../src/kernel/random/random.ts';
import { createControlApp } from './control/control-app.ts';
import { acquireRunningLock } from './database/running-lock.ts';
import { listenProvider } from './http/listen-provider.ts';
import { createProviderApp } from './http/provider-app.ts';
import { openProvider } from './open-provider.ts';
import { startScenario } from './scenario/start-scenario.ts';
import type { Chaos } from './webhooks/send-delivery.ts';
import { startPruning } from './webhooks/prune-webhooks.ts';
import { startWebhookSender } from './webhooks/start-webhook-sender.ts';

export interface StartOptions {
  /** The provider's own SQLite file, or `:memory:`. */
  readonly path: string;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Of Portaria, for the OpenAPI document. */
  readonly version: string;
  /** What happens to webhooks on their way; nothing, unless given. */
  readonly chaos?: Chaos | undefined;
  /** Of what goes on by itself. */
  readonly seed?: number;
  /** Whether programs on this machine may drive it by hand, at `/control`. Not, unless given. */
  readonly control?: boolean;
  /** Milliseconds for which delivered webhooks are kept; null, and unless given: for ever. */
  readonly keepWebhooksMs?: number | null;
}

export interface RunningProvider {
  /** Where it answers, without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Runs the provider. Its parts meet here and nowhere else.
 *
 * @throws PortariaError `store-*` when the file cannot be used, or another provider runs on it, `misconfigured` when the address cannot be had.
 */
export async function startProvider(options: StartOptions): Promise<RunningProvider> {
  const { path, host, port, clock, random, log, version, chaos, seed } = options;
  let url = addressOf(host, port);
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
  // Undone from the last to the first, also when a later part does not start.
  const parts: (() => Promise<void>)[] = [() => provider.close()];
  const stop = async () => {
    provider.beginClosing();
    for (const end of parts.splice(0).reverse()) await end();
  };
  try {
    // Before anything is sent or happens.
    const release = path === ':memory:' ? () => undefined : acquireRunningLock(path);
    parts.push(() => Promise.resolve(release()));
    const sender = await startWebhookSender(provider, { log, ...(chaos && { chaos }) });
    parts.push(() => sender.stop());
    const { keepWebhooksMs: keepMs = null } = options;
    if (keepMs !== null) {
      const pruning = startPruning(provider, { keepMs, log });
      parts.push(() => pruning.stop());
    }
    const scenario = startScenario(provider, log);
    parts.push(() => scenario.stop());
    const control =
      options.control === true ? createControlApp({ provider, scenario, sender }, log) : undefined;
    const app = createProviderApp(provider, { log, version, control });
    const listener = await listenProvider(app, host, port, { clock });
    parts.push(() => listener.close());
    url = addressOf(host, listener.port);
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function addressOf(host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${String(port)}`;
}
