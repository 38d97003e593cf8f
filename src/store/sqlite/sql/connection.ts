import type { Database } from 'better-sqlite3';
import type { Kysely } from 'kysely';
import type { Clock } from '../../../kernel/time/clock.ts';
import type { DatabaseSchema } from '../file/database-schema.ts';
import type { Ids } from './ids.ts';

/** An open store, as the operations on it need it. */
export interface Connection {
  readonly database: Database;
  /** Builds queries, and runs those that are not on the hot path. */
  readonly query: Kysely<DatabaseSchema>;
  readonly ids: Ids;
  readonly clock: Clock;
}
