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
  /**
   * Returns the client of a source, or that of `default` where the source has none of its own; null without either.
   * It is created at the first call.
   */
  client(this: void, source: string): Client | null;
  readonly confirm: Confirm;
  /** Returns the question whether records changed that no webhook reported; null for a source without an API. */
  readonly findChanges: (source: string) => AskProvider | null;
}

interface ProviderDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  /** Replaces the client of `default` with the configured address and key. */
  readonly given?: Client | undefined;
}

/** What asks the API of one source. */
interface SourceApi {
  client(): Client;
  readonly confirm: Confirm;
  readonly findChanges: AskProvider;
}

/**
 * Loads the clients of the provider's API; null when none is configured or given. Its modules are loaded now:
 * later, file descriptors may have run out, or an upgrade may have replaced the files.
 */
export async function loadProviderApi(
  { api, sources }: Pick<Config, 'api' | 'sources'>,
  { clock, random, telemetry, given }: ProviderDeps,
): Promise<ProviderApi | null> {
  const configured = new Map(
    [...sources].flatMap(([name, source]) => (source.api ? [[name, source.api]] : [])),
  );
  if (api !== null || given !== undefined) configured.set('default', api ?? { url: '', key: '' });
  if (configured.size === 0) return null;
  const [{ createClient }, { createConfirm }, { createFindChanges }] = await Promise.all([
    import('./client/create-client.ts'),
    import('./confirm/create-confirm.ts'),
    import('./confirm/find-changes.ts'),
  ]);

  function sourceApi(source: string, { url, key }: NonNullable<Config['api']>): SourceApi {
    let made = source === 'default' ? given : undefined;
    const client = (): Client =>
      (made ??= createClient({
        url,
        apiKey: key,
        clock,
        random,
        onDrift: ({ operation, issues }) => {
          for (const issue of issues) telemetry.emit('provider.drift', { operation, ...issue });
        },
      }));
    return {
      client,
      confirm: createConfirm({ client, clock, source }),
      findChanges: createFindChanges({ client, clock }),
    };
  }

  const apis = new Map([...configured].map(([name, one]) => [name, sourceApi(name, one)]));
  return {
    client: (source) => (apis.get(source) ?? apis.get('default'))?.client() ?? null,
    confirm: {
      asks: (event) => apis.get(event.source)?.confirm.asks(event) ?? false,
      find(event, ...rest) {
        const own = apis.get(event.source);
        if (own === undefined) throw new Error(`source ${event.source} has no API to ask`);
        return own.confirm.find(event, ...rest);
      },
    },
    findChanges: (source) => apis.get(source)?.findChanges ?? null,
  };
}
