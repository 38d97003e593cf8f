import type { Registry as MetricsRegistry } from 'prom-client';
import type { Observation } from '../attention/observe.ts';
import type { SignOnSettings } from '../access/sign-on.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { WebhookAddress } from '../operate/show/curl-command.ts';
import type { ReleaseDeps } from '../operate/change/release-quarantine.ts';
import type { KeepFor } from '../operate/change/prune.ts';
import type { SampleSender } from '../operate/contract/send-sample.ts';
import type { UnwrittenActivity } from '../store/activity.ts';
import type { Store } from '../store/store.ts';
import type { TelemetryFeed } from '../telemetry/feed.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { DispatchStatus } from '../view/dispatch-view.ts';

/** What the private port shows and operates. */
export interface OpsDeps {
  readonly store: Store;
  readonly registry: Registry;
  /** `wake` is called after anything was enqueued. */
  readonly dispatcher: { status(): DispatchStatus; wake(): void };
  readonly metrics: MetricsRegistry;
  /** Required of every request except probes; null accepts every request to a loopback name. */
  readonly token: string | null;
  /** Admits to reading the console with masked data; null when there is none. */
  readonly viewToken: string | null;
  /** Single sign-on by a proxy; absent when it is off. */
  readonly singleSignOn?: SignOnSettings | null;
  /** Whether tokens sign in to the console; true unless it is false. */
  readonly tokenSignIn?: boolean;
  /** Reasons why the process accepts no webhooks now, besides the store's health; empty when it does. */
  notReady(): readonly string[];
  /** What the last look for problems has found; null before the first. */
  observation(this: void): Observation | null;
  /** What this process has counted since it last wrote its counts. */
  activity(this: void): UnwrittenActivity;
  /** Where webhooks of a source are sent to, and how they are signed. */
  webhookAddress(this: void, source: string): WebhookAddress;
  readonly parse: ReleaseDeps['parse'];
  readonly identify: ReleaseDeps['identify'];
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** What telemetry reports, for the live page. */
  readonly feed: TelemetryFeed;
  /** How long content is kept. */
  readonly keep: KeepFor;
  /** Portaria's own version. */
  readonly version: string;
  /** Sends samples of events to this process; absent or null where they may not be sent. */
  readonly samples?: SampleSender | null;
}

/** Paths without authentication: probes send no token and address the machine by its IP. */
export const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

export interface Liveness {
  readonly status: 'ok';
  readonly version: string;
}

export type Readiness =
  | { readonly status: 'ready'; readonly reasons: [] }
  | { readonly status: 'not-ready'; readonly reasons: [string, ...string[]] };

export function liveness({ version }: Pick<OpsDeps, 'version'>): Liveness {
  return { status: 'ok', version };
}

/** Whether the process accepts webhooks and delivers them, and why not. */
export function readiness({ store, notReady }: Pick<OpsDeps, 'store' | 'notReady'>): Readiness {
  const [first, ...others] = [
    ...(store.healthy() ? [] : ['the store failed at its last write']),
    ...notReady(),
  ];
  if (first === undefined) return { status: 'ready', reasons: [] };
  return { status: 'not-ready', reasons: [first, ...others] };
}
