/** What a change of records works with: transaction, time, seed and webhooks. */
import type { Transaction } from 'kysely';
import type { ProviderTables } from './database/provider-tables.ts';
import type { WriteWebhook } from './webhooks/write-webhook.ts';

/** A transaction of one organization at one moment. All work of a change runs in it, its webhooks included. */
export interface Change {
  readonly transaction: Transaction<ProviderTables>;
  readonly organization: number;
  /** Time of the change, ISO 8601 in UTC. */
  readonly at: string;
  /** Day of the change in Brazil, `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether the change emits webhooks. Seeded history does not. */
  readonly emitsWebhooks: boolean;
  /** Seed of everything that the scenario decides at random. */
  readonly seed: number;
  readonly writeWebhook: WriteWebhook;
  /** What the change has touched, for the listeners of the commit. */
  readonly touched: Set<Touched>;
}

/**
 * Something that a listener waits for: new webhooks or resent ones (`webhooks aside`) for
 * the sender, scheduled steps for the scenario, progress of imports for their streams.
 */
export type Touched = 'webhooks' | 'webhooks aside' | 'schedule' | 'imports';
