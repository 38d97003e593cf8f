/** Loads the client of the provider's API where the settings give its URL. */
import type { AskProvider } from './attention/silence/judge-silence.ts';
import type { Client } from './client/client.ts';
import type { Config } from './config/config.ts';
import type { Confirm } from './dispatch/attempt/resolve-ambiguity.ts';
import type { Clock } from './kernel/time/clock.ts';
import type { Random } from './kernel/random.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

/** Access to the provider's API. */
export interface ProviderApi {
  /** Creates the client at the first call, and returns it at every call. */
  client(this: void): Client;
  readonly confirm: Confirm;
  /** Asks whether records changed that no webhook reported. */
  readonly findChanges: AskProvider;
}

interface ProviderDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  /** Replaces a client with the configured address and key. */
  readonly given?: Client | undefined;
}

/**
 * Loads the client of the provider's API; null when none is configured or given. Its modules are loaded now:
 * later, file descriptors may have run out, or an upgrade may have replaced the files.
 */
export async function loadProviderApi(
  { api }: Pick<Config, 'api'>,
  { clock, random, telemetry, given }: ProviderDeps,
): Promise<ProviderApi | null> {
  if (api === null && given === undefined) return null;
  const [{ createClient }, { createConfirm }, { createFindChanges }] = await Promise.all([
    import('./client/create-client.ts'),
    import('./confirm/create-confirm.ts'),
    import('./confirm/find-changes.ts'),
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
  return {
    client,
    confirm: createConfirm({ client, clock }),
    findChanges: createFindChanges({ client, clock }),
  };
}
