import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Random } from '../kernel/random.ts';
import { listenService } from './http/listen-service.ts';
import { createServiceApp } from './http/service-app.ts';
import { openService } from './open-service.ts';

export interface StartOptions {
  /** The service's own SQLite file, or `:memory:`. */
  readonly path: string;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Of Portaria, for the OpenAPI document. */
  readonly version: string;
}

export interface RunningService {
  /** Where it answers, without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Runs the service. Its parts meet here and nowhere else.
 *
 * @throws PortariaError `store-*` when the file cannot be used, `misconfigured` when the address cannot be had.
 */
export async function startService(options: StartOptions): Promise<RunningService> {
  const { path, host, port, clock, random, log, version } = options;
  let url = addressOf(host, port);
  const service = openService({ path, clock, random, baseUrl: () => url });
  try {
    const listener = await listenService(createServiceApp(service, { log, version }), host, port);
    url = addressOf(host, listener.port);
    return {
      url,
      async stop() {
        await listener.close();
        await service.close();
      },
    };
  } catch (error) {
    await service.close();
    throw error;
  }
}

function addressOf(host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${String(port)}`;
}
