import type { Transaction } from 'kysely';
import type { ServiceTables } from './database/service-tables.ts';

/** A transaction of one organization, at one moment. */
export interface Change {
  readonly transaction: Transaction<ServiceTables>;
  readonly organization: number;
  /** The moment, ISO 8601 in UTC. */
  readonly at: string;
  /** The day of that moment in Brazil, `YYYY-MM-DD`. */
  readonly today: string;
}
