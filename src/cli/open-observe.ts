/** Opens the check for problems, as commands run it. */
import { createObserve, type Observe } from '../attention/observe.ts';
import { createFindLateBackup } from '../attention/late-backup.ts';
import { createFindLowDisk } from '../attention/low-disk.ts';
import type { Config } from '../config/config.ts';
import { observedSources } from '../config/source-settings.ts';
import type { Contract } from '../contract/contract.ts';
import { recordedDeliveryNames } from '../handle/load/recorded-handler.ts';
import { loadProviderApi } from '../load-provider-api.ts';
import type { Store } from '../store/store.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Returns how a command looks for problems: with the provider's API, if it is configured, and without telemetry. */
export async function openObserve(
  store: Pick<
    Store,
    | 'monitoring'
    | 'hourlyCounts'
    | 'serverMove'
    | 'totals'
    | 'processes'
    | 'runningProcesses'
    | 'knownDefinitions'
    | 'storeId'
  >,
  config: Config,
  { clock, random }: Pick<Terminal, 'clock' | 'random'>,
  contract?: Contract,
): Promise<Observe> {
  const telemetry = { emit: () => undefined };
  const sources = new Map(config.sources);
  for (const defined of contract?.sources ?? []) {
    const source = config.readDefinedSource(defined, sources.get(defined.name), {
      problems: [],
      warnings: [],
    });
    if (source !== undefined) sources.set(defined.name, source);
  }
  const api = await loadProviderApi({ ...config, sources }, { clock, random, telemetry });
  return createObserve({
    store,
    clock,
    expectations: config.expected,
    // Events of a defined source are expected, also where its secrets cannot be read.
    sources: new Map([
      ...(contract?.sources ?? []).map(({ name }) => [name, {}] as const),
      ...[...sources].map(([name, { verify }]) => [name, verify] as const),
    ]),
    observed: observedSources({ sources }),
    ownLooks: api?.own?.looks ?? null,
    askOf: (source) => api?.findChanges(source) ?? null,
    findLowDisk: createFindLowDisk(config),
    findLateBackup: createFindLateBackup(config, store.storeId, 0),
    async deliveryNames() {
      const processes = await store.processes();
      if (processes.length === 0) return null;
      return processes.flatMap(({ handlers }) => recordedDeliveryNames(handlers));
    },
    // Without a contract every kind that was unrecognized still is.
    knows: (source, kind) => contract?.find(source, kind) !== undefined,
  });
}
