import type { Context, Hono } from 'hono';
import type { Observation } from '../attention/observe.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { WebhookAddress } from '../operate/curl-command.ts';
import type { ReleaseDeps } from '../operate/release-quarantine.ts';
import type { Store } from '../store/store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { DispatchStatus } from '../view/dispatch-view.ts';
import type { ConsoleTokens, Visitor } from './access.ts';
import type { Page } from './page.ts';

/** What the console shows and operates: the same as the operators' API. */
export interface ConsoleDeps {
  readonly store: Store;
  readonly registry: Registry;
  /** `wake` is called after anything was enqueued. */
  readonly dispatcher: { status(): DispatchStatus; wake(): void };
  readonly tokens: ConsoleTokens;
  /** Reasons why the process accepts no webhooks now; empty when it does. */
  notReady(): readonly string[];
  /** What the watch of this process last found; null before its first look. */
  observation(this: void): Observation | null;
  /** Where webhooks of a source are sent to, and how they are signed. */
  webhookAddress(this: void, source: string): WebhookAddress;
  readonly parse: ReleaseDeps['parse'];
  readonly identify: ReleaseDeps['identify'];
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  /** Portaria's own version. */
  readonly version: string;
}

/** The variables of a request of the console. */
export interface ConsoleEnv {
  Variables: {
    /** Set by `authenticate` for every page but the sign-in. */
    visitor: Visitor;
    /** The fields of a form, after its token was checked. */
    fields: URLSearchParams;
  };
}

export type ConsoleApp = Hono<ConsoleEnv>;
export type ConsoleContext = Context<ConsoleEnv>;

/** Returns what components need of a request. */
export type PageOf = (c: ConsoleContext) => Promise<Page>;

/** What a chapter of pages is built from. */
export interface PagesDeps extends ConsoleDeps {
  readonly pageOf: PageOf;
}
