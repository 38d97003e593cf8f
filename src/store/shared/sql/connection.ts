/** An open database, as what is written for both sees it. */
import type { Clock } from '../../../kernel/time/clock.ts';
import type { Ids } from '../ids.ts';
import type { Dialect } from './dialect.ts';
import type { SqlReads } from './statements.ts';

export interface SharedConnection {
  /** Runs statements that read, each by itself: those of SQLite in the thread that opened the connection. */
  readonly read: SqlReads;
  /** Runs reads that must agree: PostgreSQL runs them as of one moment, SQLite each by itself. */
  readonly readAtOnce: <T>(work: (read: SqlReads) => Promise<T>) => Promise<T>;
  readonly dialect: Dialect;
  readonly ids: Ids;
  readonly clock: Clock;
}
