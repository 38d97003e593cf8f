/** Keeps attempts that ended without success. */
import { sql } from 'kysely';
import { keptMs, MAX_ATTEMPTS, type EndedAttempt } from '../../shared/deliveries/interrupted.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/** Keeps attempts that ended without success, after their deliveries were changed. */
export async function keepAttempts(session: Session, attempts: readonly EndedAttempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const ids = attempts.map(({ id }) => id);
  await session.run(sql`
    with dropped as (
      -- One too many at most for each delivery: the new one is not among them yet.
      delete from attempts using (
        select coalesce(min(id) filter (where outcome <> 'dead'), min(id)) as id from attempts
        where ${isAnyOf('delivery_id', ids, 'bigint')} group by delivery_id having count(*) >= ${MAX_ATTEMPTS}
      ) as oldest
      where attempts.id = oldest.id
    )
    insert into attempts (delivery_id, attempt, outcome, ended_at, duration_ms, due_at, error)
    select deliveries.id, deliveries.attempts, ended.outcome, ended.ended_at, ended.duration_ms, ended.due_at, ended.error
    from ${unnestOf('ended', attempts, {
      id: ['bigint', ({ id }) => id],
      outcome: ['text', ({ outcome }) => outcome],
      ended_at: ['bigint', ({ now }) => now],
      duration_ms: ['double precision', ({ durationMs }) => keptMs(durationMs)],
      due_at: ['bigint', ({ dueAt }) => dueAt],
      error: ['text', ({ reason }) => reason],
      place: 'place',
    })}
    join deliveries on deliveries.id = ended.id
    order by ended.place`);
}
