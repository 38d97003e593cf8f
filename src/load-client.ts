import type { Client } from './client/client.ts';
import type { Config } from './config/config.ts';
import type { Clock } from './kernel/clock.ts';
import type { Random } from './kernel/random.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

interface ClientParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
}

/**
 * Gives the client of the configured provider, the same at every call, made at
 * the first; null when none is configured. What it needs is loaded now: later,
 * file descriptors may have run short, or an upgrade have changed the files.
 */
export async function loadClient(
  { api }: Pick<Config, 'api'>,
  { clock, random, telemetry }: ClientParts,
): Promise<() => Client | null> {
  if (api === null) return () => null;
  const { createClient } = await import('./client/create-client.ts');
  let client: Client | undefined;
  return () =>
    (client ??= createClient({
      url: api.url,
      apiKey: api.key,
      clock,
      random,
      onDrift: ({ operation, issues }) => {
        for (const issue of issues) telemetry.emit('provider.drift', { operation, ...issue });
      },
    }));
}
