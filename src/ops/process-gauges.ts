/** Metrics of this process at a scrape: whether it can write, its store and its version. */
import { Gauge, type Registry } from 'prom-client';
import type { Store } from '../store/store.ts';

/** What the metrics of a process are read from. */
interface ProcessGaugesDeps {
  readonly store: Pick<Store, 'healthy' | 'storeId'>;
  readonly version: string;
}

/** Registers what differs between the processes of one store, and which store that is. */
export function addProcessGauges(registry: Registry, { store, version }: ProcessGaugesDeps): void {
  registry.registerMetric(
    new Gauge({
      name: 'portaria_store_healthy',
      help: '1 when the last write of this process succeeded, else 0.',
      registers: [],
      collect() {
        this.set(store.healthy() ? 1 : 0);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: 'portaria_info',
      help: 'Always 1: the store of this process, which all processes of an installation share, and its version.',
      labelNames: ['store_id', 'version'],
      registers: [],
      collect() {
        this.set({ store_id: store.storeId, version }, 1);
      },
    }),
  );
}
