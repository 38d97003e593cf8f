/** Reads by SQL text, where both databases take the same. */
import type { RawBuilder } from 'kysely';

export interface SqlReads {
  rows<R>(query: RawBuilder<R>): Promise<R[]>;
  /** Returns the first row. */
  first<R>(query: RawBuilder<R>): Promise<R | undefined>;
}
