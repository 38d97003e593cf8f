/** Records which processes have acknowledged pauses. */
import { sql } from 'kysely';
import type { Pauses } from '../../pauses.ts';
import { rowOf } from '../../shared/ids.ts';
import { notePauseChange } from '../../shared/pauses/pauses.ts';
import { run, type Write } from '../../shared/sql/statements.ts';
import type { Connection } from '../sql/connection.ts';
import { isAnyOf } from '../sql/expressions.ts';
import type { Session } from '../sql/session.ts';

/**
 * Records which pauses are acknowledged: those that all living processes have acknowledged. Called after each
 * acknowledgement, and after a process has ended.
 */
export async function markAcknowledged(session: Session): Promise<void> {
  await session.run(sql`
    update pauses set acknowledged_at = (
      select max(pause_acknowledgements.acknowledged_at) from pause_acknowledgements where pause_id = pauses.id
    )
    where acknowledged_at is null
      and exists (select from pause_acknowledgements where pause_id = pauses.id)
      and not exists (
        select from leases where not exists (
          select from pause_acknowledgements
          where pause_id = pauses.id and pause_acknowledgements.holder = leases.holder
        )
      )`);
}

/** Removes what processes have acknowledged of pauses that are no more. */
export function* forgetAcknowledgements(pauses: readonly number[]): Write<void> {
  yield* run(sql`delete from pause_acknowledgements where ${isAnyOf('pause_id', pauses, 'bigint')}`);
}

export function createAcknowledgements({ transact, lease }: Connection): Pick<Pauses, 'acknowledgePauses'> {
  // The new lease has acknowledged nothing: whoever keeps the pauses reads and acknowledges them again.
  lease?.listen({
    afterLoss: () => transact(async ({ session }) => void (await session.run(notePauseChange))),
  });
  return {
    acknowledgePauses: (ids, now) =>
      transact(async ({ session }) => {
        const rows = ids.map((id) => rowOf('p', id) ?? 0);
        // Two processes that acknowledge at once would each miss the other one.
        await session.run(
          sql`select id from pauses where ${isAnyOf('id', rows, 'bigint')} order by id for update`,
        );
        await session.run(sql`
          insert into pause_acknowledgements (pause_id, holder, acknowledged_at)
          select id, ${lease?.holder() ?? 0}, ${now} from pauses where ${isAnyOf('id', rows, 'bigint')}
          on conflict (pause_id, holder) do nothing`);
        await markAcknowledged(session);
      }),
  };
}
