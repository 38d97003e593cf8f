/** Loads the client of the provider's API where the settings give its URL. */
import type { OwnLooks } from './attention/find-drift.ts';
import type { AskProvider } from './attention/silence/judge-silence.ts';
import type { Client } from './client/client.ts';
import type { Cooldown } from './confirm/cooldown.ts';
import type { Config } from './config/config.ts';
import type { Confirm } from './dispatch/attempt/resolve-ambiguity.ts';
import { PortariaError } from './kernel/errors.ts';
import { traceHeaders } from './kernel/http/traceparent.ts';
import { patientFetch } from './kernel/http/patient-fetch.ts';
import type { Clock } from './kernel/time/clock.ts';
import type { Random } from './kernel/random.ts';
import type { KeepReconciledOptions } from './reconcile/keep-reconciled.ts';
import type { RepairSubject } from './reconcile/repair-subject.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

/** Access to the provider's API. */
export interface ProviderApi {
  /**
   * Returns the client of a source, or that of `default` where the source has none of its own; null without either.
   * It is created at the first call; one that sends a `traceparent` on is another one.
   */
  client(this: void, source: string, traceparent?: string | null): Client | null;
  /** Returns the client of a source alone: each may be another organization, and none is asked for another. */
  ownClient(this: void, source: string): Client | null;
  readonly confirm: Confirm;
  /** The looks that a process makes by itself, and what starts them; null where they are off. */
  readonly own: { readonly looks: OwnLooks; readonly start: StartLooks } | null;
  /** Returns the question whether records changed that no webhook reported; null for a source without an API. */
  readonly findChanges: (source: string) => AskProvider | null;
}

/** Starts to look at records by itself; returns what stops it. */
type StartLooks = (
  deps: Omit<KeepReconciledOptions, 'readers' | 'everyMs' | 'repair'> & { readonly repair: RepairSubject },
) => () => Promise<void>;

interface ProviderDeps {
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Telemetry;
  /** Replaces the client of `default` with the configured address and key. */
  readonly given?: Client | undefined;
}

/** What asks the API of one source. */
interface SourceApi {
  client(traceparent?: string | null): Client;
  /** The pause after the provider has failed, whoever called it. */
  readonly cooldown: Cooldown;
  readonly confirm: Confirm;
  readonly findChanges: AskProvider;
}

/**
 * Loads the clients of the provider's API; null when none is configured or given. Its modules are loaded now:
 * later, file descriptors may have run out, or an upgrade may have replaced the files.
 *
 * @throws PortariaError `misconfigured` where `serve` is to look at records by itself, and no source has an API
 */
export async function loadProviderApi(
  { api, sources, reconcile }: Pick<Config, 'api' | 'sources' | 'reconcile'>,
  { clock, random, telemetry, given }: ProviderDeps,
): Promise<ProviderApi | null> {
  const configured = new Map(
    [...sources].flatMap(([name, source]) => (source.api ? [[name, source.api]] : [])),
  );
  if (api !== null || given !== undefined) configured.set('default', api ?? { url: '', key: '' });
  if (configured.size === 0 && reconcile.everyMs !== null)
    throw new PortariaError('misconfigured', 'The configuration has mistakes', {
      problems: [
        {
          where: 'PORTARIA_RECONCILE',
          message:
            'is not off, but no source has an API; set PORTARIA_API_URL and PORTARIA_API_KEY, or apiUrl and apiKey of a source',
        },
      ],
    });
  if (configured.size === 0) return null;
  const [{ createClient }, { createCooldown, noteResponse }, { createConfirm }, { createFindChanges }] =
    await Promise.all([
      import('./client/create-client.ts'),
      import('./confirm/cooldown.ts'),
      import('./confirm/create-confirm.ts'),
      import('./confirm/find-changes.ts'),
    ]);

  function sourceApi(source: string, { url, key }: NonNullable<Config['api']>): SourceApi {
    const cooldown = createCooldown(clock);
    let made = source === 'default' ? given : undefined;
    const sending = (headers: Readonly<Record<string, string>>): Client =>
      createClient({
        url,
        apiKey: key,
        clock,
        random,
        async fetch(address, init) {
          const response = await patientFetch(address, {
            ...init,
            headers: { ...(init.headers as Record<string, string>), ...headers },
          });
          noteResponse(cooldown, response, clock.now());
          return response;
        },
        onDrift: ({ operation, issues }) => {
          for (const issue of issues) telemetry.emit('provider.drift', { operation, ...issue });
        },
      });
    const isGiven = made !== undefined;
    const client = (traceparent: string | null = null): Client => {
      const headers = traceHeaders(traceparent);
      return isGiven || Object.keys(headers).length === 0 ? (made ??= sending({})) : sending(headers);
    };
    return {
      client,
      cooldown,
      confirm: createConfirm({ client, clock, cooldown, source }),
      findChanges: createFindChanges({ client, clock }),
    };
  }

  const apis = new Map([...configured].map(([name, one]) => [name, sourceApi(name, one)]));
  return {
    ownClient: (source) => apis.get(source)?.client() ?? null,
    client: (source, traceparent) => (apis.get(source) ?? apis.get('default'))?.client(traceparent) ?? null,
    confirm: {
      asks: (event) => apis.get(event.source)?.confirm.asks(event) ?? false,
      find(event, ...rest) {
        const own = apis.get(event.source);
        if (own === undefined) throw new Error(`source ${event.source} has no API to ask`);
        return own.confirm.find(event, ...rest);
      },
    },
    own: await ownLooks(apis, reconcile),
    findChanges: (source) => apis.get(source)?.findChanges ?? null,
  };
}

async function ownLooks(
  readers: ReadonlyMap<string, SourceApi>,
  { everyMs, repairs }: Config['reconcile'],
): Promise<ProviderApi['own']> {
  if (everyMs === null) return null;
  const [{ keepReconciled }, { comparedFamilies }] = await Promise.all([
    import('./reconcile/keep-reconciled.ts'),
    import('./reconcile/record-lists.ts'),
  ]);
  return {
    looks: { everyMs, families: new Map([...readers.keys()].map((name) => [name, comparedFamilies])) },
    start: ({ repair, ...deps }) =>
      keepReconciled({ ...deps, readers, everyMs, repair: repairs ? repair : null }),
  };
}
