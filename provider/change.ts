import type { Transaction } from 'kysely';
import type { ProviderTables } from './database/provider-tables.ts';
import type { WriteWebhook } from './webhooks/write-webhook.ts';

/** A transaction of one organization, at one moment. */
export interface Change {
  readonly transaction: Transaction<ProviderTables>;
  readonly organization: number;
  /** The moment, ISO 8601 in UTC. */
  readonly at: string;
  /** The day of that moment in Brazil, `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether webhooks tell of it: not of a past that is made up. */
  readonly isTold: boolean;
  /** What is drawn by chance, is drawn from this. */
  readonly seed: number;
  readonly writeWebhook: WriteWebhook;
  /** What those should know who wait for it, once it is committed. */
  readonly touched: Set<Touched>;
}

/** Something to do for the sender (recorded, or put back aside), for the scenario, for who follows imports. */
export type Touched = 'webhooks' | 'webhooks aside' | 'schedule' | 'imports';
