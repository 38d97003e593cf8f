/** The dependencies of the console, and the types of its app. */
import type { Context, Hono } from 'hono';
import type { AuditVariables } from '../access/audited-request.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Observation } from '../attention/observe.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { Erasures } from '../privacy/serve/erasures.ts';
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
import type { Visitor } from '../access/roles.ts';
import type { Words } from './language/words.ts';
import type { Page } from './page.ts';
import type { Access } from '../access/visitor.ts';
import type { VisitorLimit } from './visitor-limit.ts';

/** What the console shows and operates: the same as the operators' API. */
export interface ConsoleDeps extends Access {
  readonly store: Store;
  readonly registry: Registry;
  /** `wake` is called after anything was enqueued. */
  readonly dispatcher: { status(): DispatchStatus; wake(): void };
  readonly auditor: Auditor;
  /** Erasures of persons, which this process plans and runs. */
  readonly erasures: Erasures;
  /** Reasons why the process accepts no webhooks now; empty when it does. */
  notReady(): readonly (keyof Words['overview']['notReady'])[];
  /** What the last check for problems has found; nothing before the first. */
  observation(this: void): Observation;
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

/** The variables of a request of the console. */
export interface ConsoleEnv {
  Variables: AuditVariables & {
    /** The fields of a form, after its token was checked. */
    fields: URLSearchParams;
    /** Who has just signed in. */
    signedIn: Pick<Visitor, 'name' | 'kind'> | undefined;
  };
}

export type ConsoleApp = Hono<ConsoleEnv>;
export type ConsoleContext = Context<ConsoleEnv>;

/** Returns what components need of a request. */
export type PageOf = (c: ConsoleContext) => Promise<Page>;

/** What a chapter of pages is built from. */
export interface PagesDeps extends ConsoleDeps {
  readonly pageOf: PageOf;
  /** For pages that read whole payloads, by the name of the visitor. */
  readonly limitVisitor: VisitorLimit;
}
