import type { Client } from './client/client.ts';
import type { Config } from './config/config.ts';
import type { Confirm } from './dispatch/resolve-ambiguity.ts';
import type { Clock } from './kernel/time/clock.ts';
import type { Random } from './kernel/random.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

/** What a process has of the provider's API. */
export interface Provider {
  /** The same at every call. */
  client(this: void): Client;
  readonly confirm: Confirm;
}

interface ProviderParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  /** In place of one made of the settings. */
  readonly given?: Client | undefined;
}

/**
 * The configured provider, or that of a given client; null when there is
 * neither. What it needs is loaded now: later, file descriptors may have run
 * short, or an upgrade have changed the files. The client is made when it is
 * first asked for.
 */
export async function loadProvider(
  { api }: Pick<Config, 'api'>,
  { clock, random, telemetry, given }: ProviderParts,
): Promise<Provider | null> {
  if (api === null && given === undefined) return null;
  const [{ createClient }, { createConfirm }] = await Promise.all([
    import('./client/create-client.ts'),
    import('./confirm/create-confirm.ts'),
  ]);
  let made = given;
  const client = (): Client =>
    (made ??= createClient({
      url: api?.url ?? '',
      apiKey: api?.key ?? '',
      clock,
      random,
      onDrift: ({ operation, issues }) => {
        for (const issue of issues) telemetry.emit('provider.drift', { operation, ...issue });
      },
    }));
  return { client, confirm: createConfirm({ client, clock }) };
}
