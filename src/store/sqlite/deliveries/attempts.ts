/** Keeps attempts that ended without success. */
import { sql } from 'kysely';
import { keptMs, MAX_ATTEMPTS, type EndedAttempt } from '../../shared/deliveries/interrupted.ts';
import type { Connection } from '../sql/connection.ts';
import { prepare, type Named } from '../sql/statement.ts';

/** Keeps attempts that ended without success. Called inside a transaction, after the delivery was changed. */
export type KeepAttempt = (attempt: EndedAttempt) => void;

/** Plans go by it, so pruned rows, the newest of which `row_counts` remembers, leave no number to those that follow. */
const nextNumber = sql<number>`1 + max(
  coalesce((select max(id) from attempts), 0),
  coalesce((select rows from row_counts where name = 'attempts'), 0)
)`;

export function createKeepAttempt({ database, query }: Connection): KeepAttempt {
  type Row = Named<{
    id: number;
    outcome: string;
    now: number;
    durationMs: number | null;
    dueAt: number | null;
    error: string;
  }>;
  const insert = prepare(database, (p: Row) =>
    query
      .insertInto('attempts')
      .columns(['id', 'delivery_id', 'attempt', 'outcome', 'ended_at', 'duration_ms', 'due_at', 'error'])
      .expression(
        query
          .selectFrom('deliveries')
          .select([
            nextNumber.as('number'),
            'id',
            'attempts',
            p.outcome.as('outcome'),
            p.now.as('ended_at'),
            p.durationMs.as('duration_ms'),
            p.dueAt.as('due_at'),
            p.error.as('error'),
          ])
          .where('id', '=', p.id),
      ),
  );
  // One row too many at most, because each insert is followed by this.
  const dropOldest = prepare(database, (p: Named<{ id: number }>) =>
    query.deleteFrom('attempts').where('id', '=', (eb) =>
      eb
        .selectFrom('attempts')
        .select(sql<number>`coalesce(min(iif(outcome <> 'dead', id, null)), min(id))`.as('oldest'))
        .where('delivery_id', '=', p.id)
        .having(sql<boolean>`count(*) > ${sql.lit(MAX_ATTEMPTS)}`),
    ),
  );
  return ({ id, outcome, now, durationMs, dueAt, reason }) => {
    insert.run({ id, outcome, now, durationMs: keptMs(durationMs), dueAt, error: reason });
    dropOldest.run({ id });
  };
}
