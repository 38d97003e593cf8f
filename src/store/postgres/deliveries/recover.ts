/**
 * Makes pending again what processes that have died had running. Lanes are only tried, so it waits for no lock, and each
 * row is asked for its lease again when it is changed.
 */
import { sql } from 'kysely';
import { restartsOf, type Interrupted } from '../../shared/deliveries/interrupted.ts';
import type { Transaction } from '../database/connections/transaction.ts';
import { isAnyOf, unnestOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';
import { keepAttempts } from './attempts.ts';
import { firstDeliveries, makeHeads, tryLockDeliveries } from './lanes.ts';

/**
 * Returns the leases that running deliveries name and that are gone: of processes that have died, and of those that
 * gave their leases back before they had released everything. Reads a row of the index for each lease.
 */
export async function goneOwners(session: Session): Promise<readonly number[]> {
  const gone = await session.rows(
    sql<{ holder: number }>`
      with recursive owners (holder) as (
        (select holder from deliveries where holder is not null order by holder limit 1)
        union all
        select (
          select holder from deliveries where holder is not null and holder > owners.holder order by holder limit 1
        ) from owners where owners.holder is not null
      )
      select holder from owners
      where holder is not null and not exists (select from leases where leases.holder = owners.holder)`,
  );
  return gone.map(({ holder }) => holder);
}

interface InterruptedRow extends Interrupted {
  readonly holder: number;
}

/**
 * Makes the deliveries that run under these leases pending again, and returns their number. It skips those that
 * another transaction has locked; the next call finds them. Another process may do the same: whoever locks a lane
 * first does it.
 */
export async function takeOver(
  { session, counts }: Transaction,
  holders: readonly number[],
  now: number,
): Promise<number> {
  const running = await session.rows(
    sql<InterruptedRow>`
      select id, handler, lane, replay_id as "replayId", attempts, holder from deliveries
      where ${isAnyOf('holder', holders, 'bigint')} and status = 'running'`,
  );
  const interrupted = running.length === 0 ? [] : await tryLockDeliveries(session, running);
  if (interrupted.length === 0) return 0;
  const restarts = restartsOf(interrupted, now);
  const requeued = await session.rows(
    sql<{ id: number }>`
      update deliveries set
        status = 'pending', cut_short = 1, due_at = restarts.due_at, asked_at = ${now},
        last_error = restarts.reason, holder = null
      from ${unnestOf('restarts', restarts, {
        id: ['bigint', ({ delivery }) => delivery.id],
        holder: ['bigint', ({ delivery }) => delivery.holder],
        due_at: ['bigint', ({ dueAt }) => dueAt],
        reason: ['text', ({ reason }) => reason],
      })}
      where deliveries.id = restarts.id and deliveries.status = 'running' and deliveries.holder = restarts.holder
      returning deliveries.id`,
  );
  const ids = new Set(requeued.map(({ id }) => id));
  const ended = restarts.filter(({ delivery }) => ids.has(delivery.id));
  // A prefetched delivery may not have begun.
  await keepAttempts(
    session,
    ended.flatMap(({ delivery: { id, attempts }, dueAt, reason }) =>
      attempts === 0
        ? []
        : [{ id, outcome: 'interrupted' as const, now, durationMs: undefined, dueAt, reason }],
    ),
  );
  for (const { delivery } of ended) counts.deliveryMoved(delivery, 'running', 'pending');
  const lanes = ended.map(({ delivery }) => delivery);
  await makeHeads(session, await firstDeliveries(session, lanes), now);
  return ended.length;
}
