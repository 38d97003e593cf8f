import type { Registry as MetricsRegistry } from 'prom-client';
import type { Registry } from '../handle/load/registry.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { ReleaseParts } from '../operate/release-quarantine.ts';
import type { Store } from '../store/store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { DispatchStatus } from '../view/dispatch-view.ts';

/** What the private port shows and operates. */
export interface OpsParts {
  readonly store: Store;
  readonly registry: Registry;
  /** `wake` is called after anything was enqueued. */
  readonly dispatcher: { status(): DispatchStatus; wake(): void };
  readonly metrics: MetricsRegistry;
  /** Asked of every request but probes; null accepts whoever reaches the loopback address. */
  readonly token: string | null;
  /** Why the process takes no webhooks now, in words; empty when it does. The store's health is added here. */
  notReady(): readonly string[];
  readonly parse: ReleaseParts['parse'];
  readonly identify: ReleaseParts['identify'];
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Portaria's own version. */
  readonly version: string;
}
