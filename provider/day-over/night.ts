import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Change } from '../change.ts';

/** From one day to the next, or over several where the provider was off. */
export interface Night {
  /** The day whose beginning was dealt with before, `YYYY-MM-DD`. */
  readonly since: string;
  /** The day that has begun. */
  readonly today: string;
}

/** Which records a night concerns: ascending, with ids above `after`, so many at most. */
export interface Asked {
  readonly after: number;
  readonly limit: number;
}

/** Something that a night brings to some of an organization's records. */
export interface NightTurn {
  find(change: Change, night: Night, asked: Asked): Promise<readonly number[]>;
  /** To one of those that were found. */
  bring(change: Change, id: number): Promise<unknown>;
}

/**
 * Ids of an organization's records. The unary plus keeps SQLite from walking
 * through all records in the order of their ids for want of sorting a few.
 *
 * @param conditions for each, where one is enough. A literal status shows SQLite the index for it.
 */
export async function findIds(
  { transaction, organization }: Change,
  table: 'traffic_violations' | 'charges' | 'antt_violations',
  conditions: readonly RawBuilder<SqlBool>[],
  { after, limit }: Asked,
): Promise<readonly number[]> {
  const selections = conditions.map(
    (condition) =>
      sql`select id from ${sql.table(table)} where organization_id = ${organization} and ${condition} and +id > ${after}`,
  );
  const { rows } = await sql<{ readonly id: number }>`
    select id from (${sql.join(selections, sql` union `)}) order by id limit ${limit}`.execute(transaction);
  return rows.map(({ id }) => id);
}
