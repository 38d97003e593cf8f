/** Puts together what watches the operation of a process, and alerts. */
import { createFindLateBackup } from './attention/late-backup.ts';
import { createFindLowDisk } from './attention/low-disk.ts';
import { createObserve, type ObserveDeps } from './attention/observe.ts';
import { createAlertSender, createMemoryAlerts } from './attention/send-alerts.ts';
import { watchOperation, type OperationWatch, type WatchOperationDeps } from './attention/watch-operation.ts';
import { watchStore } from './attention/watch-store.ts';
import type { Config } from './config/config.ts';
import { observedSources } from './config/source-settings.ts';
import type { Contract } from './contract/contract.ts';
import { patientFetch } from './kernel/http/patient-fetch.ts';
import type { Random } from './kernel/random.ts';
import type { ProviderApi } from './load-provider-api.ts';
import type { Store } from './store/store.ts';

interface OperationDeps extends Pick<
  WatchOperationDeps,
  'clock' | 'telemetry' | 'signals' | 'openBreakers' | 'leads'
> {
  readonly config: Config;
  readonly store: Store;
  readonly contract: Contract;
  readonly random: Random;
  readonly provider: ProviderApi | null;
  readonly deliveryNames: NonNullable<ObserveDeps['deliveryNames']>;
}

export function composeOperation({
  config,
  contract,
  random,
  provider,
  deliveryNames,
  ...shared
}: OperationDeps): OperationWatch {
  const { store, clock, telemetry, signals } = shared;
  const alertDeps = config.alert && {
    ...{ target: config.alert, store, clock, random, telemetry },
    fetch: patientFetch,
  };
  const storeWatch = watchStore({
    ...{ store, clock, telemetry, signals },
    findLowDisk: createFindLowDisk(config),
    alerts: alertDeps && createMemoryAlerts(alertDeps),
  });
  return watchOperation({
    ...shared,
    observe: createObserve({
      findLateBackup: createFindLateBackup(config, store.storeId, clock.now()),
      ...{ store, clock, deliveryNames },
      expectations: config.expected,
      sources: new Map([...config.sources].map(([name, { verify }]) => [name, verify])),
      observed: observedSources(config),
      ownLooks: provider?.own?.looks ?? null,
      askOf: (source) => provider?.findChanges(source) ?? null,
      knows: (source, kind) => contract.find(source, kind) !== undefined,
    }),
    alerts: alertDeps && createAlertSender(alertDeps),
    storeWatch,
  });
}
